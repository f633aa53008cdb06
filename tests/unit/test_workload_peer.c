// SPDX-License-Identifier: GPL-2.0-or-later
/* Adapters of hackbench and perf: the outputs are those of rt-tests 2.4 and perf 6.1. */
#include "peer_test.h"
#include "../../workloads/peer_text.h"

static const char hackbench_text[] =
	"Running in process mode with 1 groups using 40 file descriptors each (== 40 tasks)\n"
	"Each sender will pass 50 messages of 100 bytes\n"
	"Time: 0.044\n";

static void patterns(void **state)
{
	struct text_match m;

	(void)state;
	assert_true(text_line("  5.713000 usecs/op\n", "%n usecs/op", &m));
	assert_true(m.numbers[0] == 5.713);
	assert_true(text_line("10\t20 \r\n", "%n %n", &m));
	assert_int_equal(m.count, 2);
	assert_true(text_line("cpu 41.83 %\n", "%s %n %%", &m));
	assert_false(text_line("Time: 0.044", "Time: %n", &m));
	assert_false(text_line("Time: 0.044s\n", "Time: %n", &m));
	assert_false(text_line("Time: 0,044\n", "Time: %n", &m));
	assert_false(text_line("Time: -0.044\n", "Time: %n", &m));
	assert_false(text_line("Time: 0.\n", "Time: %n", &m));
	assert_false(text_line("Time: .5\n", "Time: %n", &m));
	assert_false(text_line("Time: 1e3\n", "Time: %n", &m));
	assert_false(text_line("Time: nan\n", "Time: %n", &m));
	assert_false(text_line("Time: inf\n", "Time: %n", &m));
	assert_false(text_line("Time: 0x1p3\n", "Time: %n", &m));
	assert_false(text_line("\n", "Time: %n", &m));
}

static void hackbench_arguments(void **state)
{
	(void)state;
	assert_string_equal(planned("hackbench", ""), "hackbench -g 10 -f 20 -l 100 -s 100 -P");
	assert_string_equal(planned("hackbench", "-g 4 -l 7 --datasize=4K --pipe --threads --fifo"),
			    "hackbench -g 4 -f 20 -l 7 -s 4096 -p -T -F");
	assert_string_equal(planned("hackbench", "--inet"),
			    "hackbench -g 10 -f 20 -l 100 -s 100 -i -P");
}

static void hackbench_values(void **state)
{
	(void)state;
	assert_string_equal(read_one("hackbench", "-g 1 -l 50", hackbench_text, ""), "time=0.044");
	assert_string_equal(
		read_one("hackbench", "-g 1 -l 50 -T -p",
			 "Running in threaded mode with 1 groups using 40 file descriptors each "
			 "(== 40 tasks)\nEach sender will pass 50 messages of 100 bytes\n"
			 "Time: 12.017\n",
			 ""),
		"time=12.017");
}

#define HEAD                                                                                       \
	"Running in process mode with 1 groups using 40 file descriptors each (== 40 tasks)\n"     \
	"Each sender will pass 50 messages of 100 bytes\n"

static void hackbench_failures(void **state)
{
	static const char none[] = "hackbench printed no line 'Time: %n' (%n is a number)";
	static const char args[] = "-g 1 -l 50";

	(void)state;
	assert_string_equal(read_one("hackbench", args, HEAD, ""), none);
	assert_string_equal(read_one("hackbench", args, HEAD "Time: 0.04", ""), none);
	assert_string_equal(read_one("hackbench", args, HEAD "Time: 0,044\n", ""), none);
	assert_string_equal(read_one("hackbench", args, HEAD "Time: -0.044\n", ""), none);
	assert_string_equal(read_one("hackbench", args, HEAD "Time: 0.044\nTime: 0.044\n", ""),
			    "hackbench printed two lines 'Time: %n' (%n is a number)");
	assert_string_equal(read_one("hackbench", args, HEAD "Time: 0.000\n", ""),
			    "hackbench printed a time of 0: its clock shows milliseconds "
			    "(more --loops)");
	assert_non_null(strstr(read_one("hackbench", args, "", ""), "printed no line 'Running in"));
	/* It ran its defaults, or something else, since it did not understand the arguments. */
	assert_non_null(strstr(read_one("hackbench", "-g 5 -l 50", hackbench_text, ""),
			       "no line 'Running in process mode with 5 groups"));
	assert_non_null(strstr(read_one("hackbench", "-g 1 -l 51", hackbench_text, ""),
			       "no line 'Each sender will pass 51 messages of 100"));
}

static const char pipe_text[] = "# Running 'sched/pipe' benchmark:\n"
				"# Executed 2000 pipe operations between two processes\n\n"
				"     Total time: 0.011 [sec]\n\n"
				"       5.713000 usecs/op\n"
				"         175039 ops/sec\n";

static void pipe_adapter(void **state)
{
	char doubled[1024];

	(void)state;
	assert_string_equal(planned("pipe", "-l 2000"), "perf bench sched pipe -l 2000");
	assert_string_equal(planned("pipe", "-T"), "perf bench sched pipe -l 1000000 -T");
	assert_string_equal(planned("pipe", "--pair free"), "perf bench sched pipe -l 1000000");
	assert_string_equal(planned("pipe", "--pair cpu"),
			    "the original of 'pipe', perf, has no '--pair' (leave it out, or use "
			    "backend own)");
	assert_string_equal(read_one("pipe", "-l 2000", pipe_text, ""),
			    "usecs_per_op=5.713 ops_per_sec=175039");
	assert_non_null(strstr(read_one("pipe", "-l 3000", pipe_text, ""), "no line '# Executed"));
	assert_non_null(
		strstr(read_one("pipe", "-T -l 2000", pipe_text, ""), "between two threads"));
	snprintf(doubled, sizeof(doubled), "%s%s", pipe_text, pipe_text);
	assert_non_null(strstr(read_one("pipe", "-l 2000", doubled, ""), "two lines"));
}

#define PIPE_HEAD                                                                                  \
	"# Running 'sched/pipe' benchmark:\n"                                                      \
	"# Executed 2000 pipe operations between two processes\n\n"

static void pipe_failures(void **state)
{
	static const char args[] = "-l 2000";

	(void)state;
	assert_non_null(strstr(read_one("pipe", args, PIPE_HEAD, ""), "Total time"));
	assert_non_null(strstr(read_one("pipe", args,
					PIPE_HEAD "     Total time: 0.011 [sec]\n\n"
						  "       5.713000 usecs/op\n"
						  "         175039 ops/s",
					""),
			       "ops/sec"));
	assert_non_null(strstr(read_one("pipe", args,
					PIPE_HEAD "     Total time: 0.011 [sec]\n\n"
						  "       5.713000 usecs/op\n"
						  "        175,039 ops/sec\n",
					""),
			       "no line '%n ops/sec'"));
	assert_non_null(strstr(read_one("pipe", args,
					PIPE_HEAD "     Total time: 0.022 [sec]\n\n"
						  "       5.713000 usecs/op\n"
						  "         175039 ops/sec\n",
					""),
			       "contradicts itself"));
	assert_non_null(
		strstr(read_one("pipe", args, PIPE_HEAD "     Total time: 0.000 [sec]\n", ""),
		       "a time of 0"));
}

static void messaging_adapter(void **state)
{
	static const char text[] = "# Running 'sched/messaging' benchmark:\n"
				   "# 20 sender and receiver threads per group\n"
				   "# 1 groups == 40 threads run\n\n"
				   "     Total time: 1.011 [sec]\n";

	(void)state;
	assert_string_equal(planned("messaging", "--group 3 --thread --pipe"),
			    "perf bench sched messaging -g 3 -l 100 -p -t");
	assert_string_equal(read_one("messaging", "-g 1 -t -l 20", text, ""), "time=1.011");
	assert_non_null(strstr(read_one("messaging", "-g 2 -t -l 20", text, ""), "no line"));
	assert_non_null(strstr(read_one("messaging", "-g 1 -l 20", text, ""), "processes run"));
	assert_non_null(strstr(read_one("messaging", "-g 1 -t", "Total time: 1,011 [sec]\n", ""),
			       "no line"));
}

/* Names in the tables of the adapters are looked up when they are used: all of them exist. */
static void tables_agree(void **state)
{
	const struct workload *w;

	(void)state;
	for (size_t i = 0; (w = workload_at(i)); i++) {
		const struct peer *p = peer_of(w->name);

		for (const struct peer_flag *f = p ? p->flags : NULL; f && f->name; f++) {
			const struct option_spec *s = w->options;

			while (s->name && strcmp(s->name, f->name))
				s++;
			if (!s->name)
				fail_msg("%s has no option %s", w->name, f->name);
			if (s->type == OPTION_TIME && f->flag)
				assert_non_null(f->unit);
		}
		for (const char *const *name = p ? p->metrics : NULL; name && *name; name++) {
			const struct metric *m = w->metrics;

			while (m->name && strcmp(m->name, *name))
				m++;
			if (!m->name)
				fail_msg("%s has no metric %s", w->name, *name);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns),	     cmocka_unit_test(hackbench_arguments),
		cmocka_unit_test(hackbench_values),  cmocka_unit_test(hackbench_failures),
		cmocka_unit_test(pipe_adapter),	     cmocka_unit_test(pipe_failures),
		cmocka_unit_test(messaging_adapter), cmocka_unit_test(tables_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
