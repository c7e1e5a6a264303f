"""The families of odd inputs, with their shares."""

from tests.fuzzing import calls, shell

FAMILIES = (
    *(
        (calls.read_a_table, 0.24),
        (calls.read_a_file, 0.2),
        (calls.call_a_function, 0.2),
        (shell.shell_call, 0.2),
    ),
    *((calls.read_presence, 0.05), (calls.make_an_object, 0.06), (calls.load_a_file, 0.04)),
    *((calls.call_something_slow, 0.009), (shell.shell_process, 0.001)),
)
