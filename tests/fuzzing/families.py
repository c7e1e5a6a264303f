"""The families of odd inputs, with their shares: half of the cases call a function that may compute."""

from tests.fuzzing import calls, pages, shell, uses, verbs

FAMILIES = (
    *((verbs.call_any, 0.45), (shell.any_command, 0.15), (pages.visit_a_page, 0.1)),
    *((calls.read_a_table, 0.06), (calls.read_a_file, 0.06), (calls.call_a_function, 0.04)),
    *((shell.shell_call, 0.04), (calls.use_a_result, 0.03), (uses.visit, 0.02)),
    *((calls.read_presence, 0.02), (calls.make_an_object, 0.015), (calls.load_a_file, 0.01)),
    *((calls.call_something_slow, 0.0045), (shell.shell_process, 0.0005)),
)
