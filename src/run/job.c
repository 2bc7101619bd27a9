/* One run, from request to report. See job.h. */
#include "run/job.h"

#include "base/json_write.h"
#include "judge/client_session.h"
#include "judge/tmp_names.h"
#include "run/cwd_report.h"
#include "run/job_hold.h"
#include "run/job_network.h"
#include "run/job_record.h"
#include "run/job_sandbox.h"
#include "run/job_unfinished.h"
#include "run/result_memory.h"
#include "run/run_validation.h"
#include "run/test_changes.h"
#include "sys/ids.h"
#include "sys/path.h"

static void refuse_job(struct job *j)
{
	j->refused = true;
	j->outcome = (struct outcome){.status = j->judgement.verdict == VERDICT_ASK ? STATUS_NEEDS_APPROVAL :
			STATUS_DENIED, .exit_code = -1};
}

/*
 * Returns the place whose policies apply. A given workspace is a place of its own, whose project need not be
 * that of the caller.
 */
static const struct context *judged_place(struct arena *a, struct job *j)
{
	const struct context *own = &j->world.context;
	struct context *workspace = &j->world.workspace;
	struct str given = j->request.workspace.path, real;
	struct path_memo m;
	enum path_kind kind;

	if (j->request.ticket || !j->request.workspace.given || !given.n)
		return own;
	path_memo_init(&m, a, own->cwd);
	real = path_real(&m, given.p[0] == '/' ? given : str_path(a, own->cwd, given), &kind);
	if (str_eq(real, own->cwd))
		return own;
	*workspace = (struct context){.cwd = real.n ? real : given, .places = true};
	context_open(a, workspace);
	return workspace;
}

/*
 * The hosts that a person lists for this run, as a policy: the gate need not ask about reading from them, and
 * the record keeps what it judged by. A wrong word is reported where the words are expanded.
 */
static struct str hosts_policy(struct arena *a, const struct run_request *rq)
{
	struct err e;
	struct buf b;

	if (!rq->gate || rq->ticket || !rq->network.words)
		return STR("");
	buf_init(&b, a, 0);
	buf_c(&b, "sandbox: {network: {allow: [");
	for (const struct texts *t = rq->network.words; t; t = t->next)
		if (network_word_check(a, t->text, &e) == 0) {
			json_put_comma(&b);
			json_put_string(&b, t->text);
		}
	buf_c(&b, "]}}\n");
	return buf_view(&b);
}

/*
 * Loads the policies in force. If they do not load, or changed after a ticket was written, the job is
 * refused.
 */
static bool load_policies(struct arena *a, struct job *j)
{
	struct policies_request rq = {.config = j->request.config, .context = judged_place(a, j),
			.settings = j->ticket.settings};
	struct err e = {0};

	rq.hosts = hosts_policy(a, &j->request);
	if (j->request.skilled) {
		rq.extra_name = j->request.skilled->name;
		rq.extra = j->request.skilled->policy;
	}
	if (policies_load(a, &rq, &j->policies, &e) == 0 &&
			(!j->request.ticket || str_eq(j->ticket.policy, j->policies.digest)))
		return true;
	engine_refuse(a, CHECK_POLICY_ERROR,
		e.kind ? e.text : "the policy has changed since the command was judged", &j->judgement);
	refuse_job(j);
	return false;
}

/* True if the command may name a file in the host's /tmp, and no ticket lists them. */
static bool names_tmp(const struct job *j)
{
	return j->run.spec.tmp.n && !j->request.ticket && str_contains(j->run.gate_request.command,
			STR("/tmp"));
}

/* Judges the prepared program. */
static void judge_program(struct arena *a, const struct job *j, struct facts *ret_facts,
		struct judgement *ret)
{
	struct err e = {0};

	if (engine_judge(a, &j->run.gate_request, &j->policies, ret_facts, ret, &e) != 0)
		engine_refuse(a, CHECK_INTERNAL_ERROR, e.text, ret);
}

/*
 * Only --gate judges here. Without it a command that names /tmp is read for its files there, and the verdict
 * does not count. A ticket was judged by the hook that made it: load_policies() only compares the digest of
 * the policy.
 */
static bool gate_permits(struct arena *a, struct job *j)
{
	struct judgement judgement = {0};
	struct facts facts = {0};

	if (!j->request.gate && !names_tmp(j))
		return true;
	judge_program(a, j, &facts, &judgement);
	if (names_tmp(j))
		run_show_tmp(a, &j->run, tmp_names(a, &facts, judgement.view, j->run.spec.workspace));
	if (!j->request.gate)
		return true;
	j->judgement = judgement;
	if (j->judgement.verdict == VERDICT_ALLOW || j->judgement.verdict == VERDICT_CONTAIN)
		return true;
	refuse_job(j);
	return false;
}

/* Replaces the request with that of the ticket, which is used up unless it is only peeked at. */
static int take_ticket(struct arena *a, struct job *j, struct err *e)
{
	struct ticket *t = &j->ticket;
	struct run_request *rq = &j->request;

	if (job_ticket(a, j, e) != 0)
		return -1;
	rq->audience = AUDIENCE_CLIENT;
	rq->code = str_c(a, t->command);
	rq->language = language_of_dialect(t->dialect);
	rq->profile = t->profile;
	rq->walls = &t->walls;
	rq->input = t->input;
	rq->tmp = t->tmp;
	if (t->config.n)
		rq->config = str_c(a, t->config);
	rq->network = t->walls.mode == CLIENT_SANDBOX_NONE ? t->network : (struct network_request){0};
	rq->approved = t->approved;
	rq->agent = t->agent.n ? str_c(a, t->agent) : NULL;
	rq->limits[LIMIT_TIME] = t->time_ms;
	return 0;
}

/* Looks at the world once: where the ticket's command runs, else where the caller is. */
static int open_world(struct arena *a, struct job *j, struct err *e)
{
	struct context at = {.pin = j->request.pin};

	if (j->request.ticket) {
		if (take_ticket(a, j, e) != 0)
			return -1;
		at = (struct context){.cwd = ticket_cwd(a, &j->ticket), .cwd_id = j->ticket.cwd_id,
				.pin = &j->ticket.project};
	}
	return run_world(a, &at, &j->world, e);
}

/*
 * Refuses a ticket whose project or directory has been replaced. The box compares them once more when it
 * mounts.
 */
static bool ticket_stands(struct arena *a, struct job *j)
{
	struct err e = {0};

	if (!j->request.ticket || ticket_check(a, &j->ticket, &e) == 0)
		return true;
	engine_refuse(a, CHECK_PROJECT_CHANGED, e.text, &j->judgement);
	refuse_job(j);
	return false;
}

struct recording { /* arguments of record_begun() */
	struct arena *a;
	struct job *j;
	bool tried, begun;
};

/* Called before the program starts: without a record nothing runs. */
static int record_begun(void *ctx, struct err *e)
{
	struct recording *r = ctx;

	r->tried = true;
	r->begun = job_record_begin(r->a, r->j, e) == 0;
	record_close(&r->j->record);
	if (r->begun && r->j->begun)
		r->j->begun(r->j->begun_ctx, r->j->run.id);
	return r->begun ? 0 : -1;
}

static void look_at_run(void *ctx, const struct outcome *so_far)
{
	job_unfinished_note(((struct recording *)ctx)->j, so_far);
}

/* Runs the program. If the final directory cannot be reported, the client does without it. */
static void run_and_follow(struct arena *a, struct job *j, struct recording *r,
		const struct box_progress *progress)
{
	struct box_start start = {.before_program = record_begun, .ctx = r,
			.look = j->request.ticket ? look_at_run : NULL,
			.hold = j->hold ? &j->hold->box : NULL};
	struct str cwd_file = STR("");

	if (j->ticket.follow)
		(void)cwd_report_prepare(a, &j->run, j->ticket.dialect, str_of(j->request.ticket), &cwd_file,
				NULL);
	run_go(a, &j->run, &j->box, &start, progress, &j->outcome);
	j->ended_in = cwd_report_take(a, j->world.context.view, cwd_file);
}

/*
 * Runs the program; the begin row is written while the kernel sets up the box, or afterwards if the box
 * failed before. True if the begin row exists.
 */
static bool run_recorded(struct arena *a, struct job *j, const struct box_progress *progress)
{
	struct recording r = {.a = a, .j = j};
	struct err e = {0};

	run_and_follow(a, j, &r, progress);
	if (!r.tried && record_begun(&r, &e) != 0)
		j->outcome = (struct outcome){.status = STATUS_SETUP_ERROR, .exit_code = -1, .err_setup = e};
	return r.begun;
}

/* Returns when the client's session began; 0: not known. */
static int64_t session_start(struct arena *a, const struct job *j)
{
	const struct view *v = j->world.context.view;
	struct client_session s = {0};

	if (!j->who.session.n || client_session_read(a, v->state_dir, j->who.client, j->who.session,
			v->uid, &s, NULL) != 1)
		return 0;
	return s.started;
}

static void finish_job(struct arena *a, struct job *j, bool begun)
{
	struct err e = {0};

	/* refused in any case; the failure to record is the graver reason */
	if (j->refused && job_record_refusal(a, j, &e) != 0) {
		j->refused = false;
		j->outcome = (struct outcome){.status = STATUS_SETUP_ERROR, .exit_code = -1, .err_setup = e};
	}
	report_make(a, &j->run, &j->outcome, j->refused ? &j->judgement : NULL, &j->report);
	validation_custom(a, &j->policies, &j->report);
	if (begun && !j->record.off && !j->request.head_tests && j->outcome.status != STATUS_RUNNING) {
		bool compared = result_memory_compare(a, j->who.session, &j->report);

		test_changes_look(a, &j->policies, session_start(a, j), compared, &j->report);
	}
	job_hold_report(a, j);
	if (begun && j->outcome.status != STATUS_RUNNING) /* its end is still to come */
		job_record_end(a, j);
	record_close(&j->record);
}

static int name_run(struct arena *a, struct job *j, struct err *e)
{
	char id[ID_LETTERS + 1];

	if (!j->ticket.id.n && id_new(id, e) != 0)
		return -1;
	j->run.id = j->ticket.id.n ? j->ticket.id : str_dup(a, str_n(id, ID_LETTERS));
	return 0;
}

static int run_to_report(struct arena *a, struct job *j, const struct box_progress *progress, struct err *e)
{
	struct err why = {0};
	bool begun = false, loaded;

	if (open_world(a, j, e) != 0 || run_skill(a, &j->request, e) != 0)
		return -1;
	if (name_run(a, j, e) != 0)
		return -1;
	j->run.rq = &j->request;
	j->run.world = &j->world;
	loaded = ticket_stands(a, j) && load_policies(a, j);
	if (loaded && (run_prepare(a, &j->request, &j->world, &j->policies, &j->run, e) != 0 ||
			job_hold_prepare(a, j, e) != 0))
		return -1;
	if (loaded)
		job_network_join(a, j);
	j->record.off = j->peeked; /* the state is read-only there; the hook has recorded the verdict */
	if (loaded && job_sandboxed(a, j)) { /* no box can be made; the outcome says so */
		j->record.off = true;
	} else if (!j->peeked && job_record_open(a, j, &why) != 0) {
		j->record.off = true;
		j->refused = false;
		j->outcome = (struct outcome){.status = STATUS_SETUP_ERROR, .exit_code = -1,
				.err_setup = why};
	} else if (loaded && gate_permits(a, j))
		begun = run_recorded(a, j, progress);
	finish_job(a, j, begun);
	return 0;
}

/*
 * Starts building a box first: the kernel needs about as long for it as we need to decide what runs in it.
 * The caller may have begun one before.
 */
int job_go(struct arena *a, struct job *j, const struct box_progress *progress, struct err *e)
{
	int rc;

	if (!j->box.begun && (j->request.backend == BACKEND_UNSET || j->request.backend == BACKEND_NATIVE))
		box_begin(&j->box, a, box_backend(NULL));
	rc = run_to_report(a, j, progress, e);
	if (j->hold && j->hold->holder)
		job_hold_end(a, j);
	if (j->box.begun) /* else it ran, and job_end() waits for it */
		box_discard(&j->box);
	return rc;
}

void job_end(struct job *j) { box_wait(&j->box, &j->outcome); }

int job_prepare(struct arena *a, struct job *j, struct err *e)
{
	if (open_world(a, j, e) != 0 || run_skill(a, &j->request, e) != 0)
		return -1;
	if (!load_policies(a, j))
		return err_config(e, "the policy does not load");
	return run_prepare(a, &j->request, &j->world, &j->policies, &j->run, e);
}

int job_judge(struct arena *a, struct job *j, struct facts *ret, struct err *e)
{
	*ret = (struct facts){0};
	if (open_world(a, j, e) != 0 || run_skill(a, &j->request, e) != 0)
		return -1;
	if (!load_policies(a, j))
		return 0;
	if (run_prepare(a, &j->request, &j->world, &j->policies, &j->run, e) != 0)
		return -1;
	judge_program(a, j, ret, &j->judgement);
	return 0;
}
