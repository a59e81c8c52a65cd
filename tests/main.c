/* SPDX-License-Identifier: MIT
 *
 * The main function of every unit test: it runs the tests of the file that it is linked with.
 */
#include "pc_test.h"

#include <signal.h>

char **test_arguments;

int main(int argc, char **argv)
{
    (void)argc;
    test_arguments = argv + 1;
    /* nohup, or a shell that starts a job in the background, leaves some of these ignored. */
    static const int ours[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
    for (size_t i = 0; i < PC_COUNT_OF(ours); i++)
        signal(ours[i], SIG_DFL);
    return _cmocka_run_group_tests("tests", test_file.tests, test_file.nr, test_file.set_up,
                                   test_file.tear_down);
}
