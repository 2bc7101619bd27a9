/*
 * Judges one command inside this program:
 *
 *     judge [-n TIMES] COMMAND
 *
 * prints the verdict and a line for each reason. With -n the command is judged again and again, and the time
 * of one judgement and the growth of the process's memory from the tenth part of them on are printed as well.
 * The exit status is that of `caisson check`: 0 allow, 1 ask, 2 deny, 3 contain.
 *
 *     cc judge.c $(pkg-config --cflags --libs caisson) -o judge
 */
#include <caisson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TIMES_MAX 100000000L
#define EXIT_USAGE 64

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Memory of the process in KiB; 0: not known. */
static long resident(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	long pages = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%*s %ld", &pages) != 1)
		pages = 0;
	fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static int judge_often(struct caisson *c, const char *command, long times, struct caisson_error *e)
{
	size_t length = strlen(command);
	double from = seconds();
	long before = 0;

	for (long i = 0; i < times; i++) {
		struct caisson_answer *answer;

		if (i == times / 10)
			before = resident();
		if (caisson_judge(c, command, length, &answer, e) != 0)
			return -1;
		caisson_answer_free(answer);
	}
	printf("%.1f us per judgement, %ld KiB more after %ld\n", (seconds() - from) / (double)times * 1e6,
	       resident() - before, times);
	return 0;
}

static int judge_once(struct caisson *c, const char *command, struct caisson_error *e)
{
	static const int status[] = {
		[CAISSON_DENY] = 2, [CAISSON_ASK] = 1, [CAISSON_CONTAIN] = 3, [CAISSON_ALLOW] = 0,
	};
	struct caisson_answer *answer;
	enum caisson_verdict verdict;

	if (caisson_judge(c, command, strlen(command), &answer, e) != 0)
		return -1;
	verdict = caisson_answer_verdict(answer);
	printf("%s\n", caisson_verdict_name(verdict));
	for (size_t i = 0; i < caisson_answer_reasons(answer); i++)
		printf("  %s: %s\n", caisson_answer_reason_id(answer, i),
		       caisson_answer_reason_text(answer, i));
	caisson_answer_free(answer);
	return status[verdict];
}

int main(int argc, char **argv)
{
	struct caisson_error why = {0};
	struct caisson *c = NULL;
	long times = 0;
	int rc = -1;

	if (argc == 4 && !strcmp(argv[1], "-n"))
		times = strtol(argv[2], NULL, 10);
	if ((argc != 2 && argc != 4) || (argc == 4 && (times < 1 || times > TIMES_MAX))) {
		fputs("usage: judge [-n TIMES] COMMAND\n", stderr);
		return EXIT_USAGE;
	}
	if (caisson_open(&c, &why) == 0 && (!times || judge_often(c, argv[argc - 1], times, &why) == 0))
		rc = judge_once(c, argv[argc - 1], &why);
	caisson_close(c);
	if (rc < 0)
		fprintf(stderr, "judge: %s\n", why.text);
	return rc < 0 ? 2 : rc;
}
