import { nothing } from "./explore.js";
import { put } from "./dom.js";
export const running = () => 0;
export function mount(root) { put(root, nothing("soon")); return () => {}; }
