"""The families of odd inputs, with their shares."""

from tests.fuzzing import calls, shell, uses

FAMILIES = (
    *((calls.read_a_table, 0.2), (calls.read_a_file, 0.2), (calls.call_a_function, 0.16)),
    *((shell.shell_call, 0.2), (calls.use_a_result, 0.07), (uses.visit, 0.04)),
    *((calls.read_presence, 0.05), (calls.make_an_object, 0.04), (calls.load_a_file, 0.03)),
    *((calls.call_something_slow, 0.009), (shell.shell_process, 0.001)),
)
