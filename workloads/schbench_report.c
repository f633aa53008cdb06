// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "schbench.h"

static const double new_percents[] = {50, 90, 99, 99.9, 0};
static const double new_pipe_percents[] = {20, 50, 90, 99, 99.9, 0};
static const double old_percents[] = {50, 75, 90, 95, 99, 99.5, 99.9, 0};
static const double rps_percents[] = {20, 50, 90, 0};

/* One block of percentiles; @unit is what a printed number counts, @star is marked. */
static void print_block(const struct schbench *cfg, struct outcome *out, const char *title,
			const struct histogram *h, double unit, double seconds,
			const double *percents, double star)
{
	bool bare = cfg->version == SCHBENCH_2019;
	uint64_t n = histogram_count(h), below, before = 0;

	outcome_printf(out, "%s", title);
	if (!bare)
		outcome_printf(out, " runtime %.0f (s) (%" PRIu64 " total samples)", seconds, n);
	outcome_printf(out, "\n");
	for (; *percents; percents++) {
		const char *mark = *percents == star ? (bare ? "*" : "* ") : bare ? "" : "  ";
		double v = histogram_percentile(h, *percents, &below) / unit;

		if (bare)
			outcome_printf(out, "\t%s%2.1fth: %.0f\n", mark, *percents, v);
		else
			outcome_printf(out, "\t%s%2.1fth: %-10.0f (%" PRIu64 " samples)\n", mark,
				       *percents, v, below - before);
		before = below;
	}
	outcome_printf(out, "\t%smin=%.0f, max=%.0f\n", bare ? "" : "  ",
		       histogram_percentile(h, 0, NULL) / unit,
		       histogram_percentile(h, 100, NULL) / unit);
}

static void print_latency(const struct schbench *cfg, struct outcome *out, const char *title,
			  const struct schbench_totals *t, enum schbench_latency which,
			  double seconds)
{
	const double *percents = cfg->version != SCHBENCH_NEW ? old_percents
				 : cfg->pipe_bytes	      ? new_pipe_percents
							      : new_percents;

	print_block(cfg, out, title, &t->latency[which], 1000, seconds, percents, 99);
}

static void print_latencies(const struct schbench *cfg, struct outcome *out,
			    const struct schbench_totals *t, const struct histogram *rps,
			    double seconds)
{
	if (cfg->version != SCHBENCH_NEW) {
		print_latency(cfg, out, "Latency percentiles (usec)", t, LATENCY_WAKEUP, seconds);
	} else if (!cfg->calibrate) {
		print_latency(cfg, out, "Wakeup Latencies percentiles (usec)", t, LATENCY_WAKEUP,
			      seconds);
	}
	if (cfg->version == SCHBENCH_NEW && !cfg->pipe_bytes) {
		print_latency(cfg, out, "Request Latencies percentiles (usec)", t, LATENCY_REQUEST,
			      seconds);
		print_block(cfg, out, "RPS percentiles (requests)", rps, 1, seconds, rps_percents,
			    50);
	}
	if (cfg->rps || cfg->auto_rps > 0) {
		print_latency(cfg, out, "Queue Latencies percentiles (usec)", t, LATENCY_QUEUE,
			      seconds);
		print_latency(cfg, out, "Response Latencies percentiles (usec)", t,
			      LATENCY_RESPONSE, seconds);
	}
}

void schbench_report_interval(const struct schbench *cfg, struct outcome *out,
			      const struct schbench_totals *since, const struct histogram *rps,
			      double seconds, double current_rps)
{
	print_latencies(cfg, out, since, rps, seconds);
	outcome_printf(out, "current rps: %.2f\n", current_rps);
}

/* Add a value if this version has the metric; 1 stops a list with &&. */
static int put(struct outcome *out, const struct metric *metrics, const char *name, double value,
	       struct error *err)
{
	for (const struct metric *m = metrics; m->name; m++)
		if (!strcmp(m->name, name))
			return outcome_value(out, m, value, err);
	return 0;
}

static int put_percentiles(struct outcome *out, const struct metric *metrics, const char *prefix,
			   const struct histogram *h, double unit, struct error *err)
{
	static const struct {
		const char *suffix;
		double percent;
	} rows[] = {
		{"p99", 99}, {"p20", 20},     {"p50", 50},     {"p75", 75},  {"p90", 90},
		{"p95", 95}, {"p99_5", 99.5}, {"p99_9", 99.9}, {"max", 100},
	};
	char name[64];

	if (!histogram_count(h))
		return 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(name, sizeof(name), "%s_%s", prefix, rows[i].suffix);
		if (put(out, metrics, name, histogram_percentile(h, rows[i].percent, NULL) / unit,
			err))
			return -1;
	}
	return 0;
}

static void print_transfer(const struct schbench *cfg, struct outcome *out, double ops)
{
	static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
	double bytes = ops * (double)cfg->pipe_bytes;
	size_t u = 0;

	while (bytes >= 1024 && u < 4) {
		bytes /= 1024;
		u++;
	}
	outcome_printf(out, "avg worker transfer: %.2f ops/sec %.2f%s/s\n", ops, bytes, units[u]);
}

static int report_pipe(const struct schbench *cfg, struct run *run, const struct schbench_result *r,
		       const struct metric *metrics, double seconds, struct error *err)
{
	double ops = (double)r->total.requests / seconds / (double)r->workers;

	print_transfer(cfg, run->out, ops);
	return put(run->out, metrics, "transfer", ops, err);
}

/* How much of what arrived was done, and whether the latencies are those of an overloaded server. */
static int report_open(struct run *run, const struct schbench_result *r,
		       const struct metric *metrics, double seconds, struct error *err)
{
	const struct schbench_totals *t = &r->total;
	double done = t->arrivals ? 100 * (double)t->requests / (double)t->arrivals : 100;
	bool overloaded = t->drops || done < 95;

	outcome_printf(run->out,
		       "arrivals: %" PRIu64 " (%.2f/sec, last rate %.2f) completed: %" PRIu64
		       " (%.1f %%) dropped: %" PRIu64 "%s\n",
		       t->arrivals, (double)t->arrivals / seconds, r->rate, t->requests, done,
		       t->drops, overloaded ? " overloaded" : "");
	if (put(run->out, metrics, "completed", done, err) ||
	    put(run->out, metrics, "drops", (double)t->drops, err) ||
	    put(run->out, metrics, "overloaded", overloaded, err) ||
	    put_percentiles(run->out, metrics, "queue", &t->latency[LATENCY_QUEUE], 1000, err))
		return -1;
	return put_percentiles(run->out, metrics, "response", &t->latency[LATENCY_RESPONSE], 1000,
			       err);
}

int schbench_report(const struct schbench *cfg, struct run *run, const struct schbench_result *r,
		    const struct metric *metrics, struct error *err)
{
	const struct schbench_totals *t = &r->total;
	double seconds = (double)t->ns / 1e9, rps = (double)t->requests / seconds;

	if (!t->requests)
		return error_set(err, ERROR_FAILED,
				 "no request was done in %.3f s (give it more time: -r)", seconds);
	print_latencies(cfg, run->out, t, &r->rps, seconds);
	if (put_percentiles(run->out, metrics, "wakeup", &t->latency[LATENCY_WAKEUP], 1000, err) ||
	    put_percentiles(run->out, metrics, "request", &t->latency[LATENCY_REQUEST], 1000,
			    err) ||
	    put_percentiles(run->out, metrics, "rps", &r->rps, 1, err))
		return -1;
	if (cfg->pipe_bytes)
		return report_pipe(cfg, run, r, metrics, seconds, err);
	outcome_printf(run->out, "average rps: %.2f\n", rps);
	if (cfg->version == SCHBENCH_NEW)
		outcome_printf(run->out, "sched delay: message %.0f (usec) worker %.0f (usec)\n",
			       r->message_delay_us, r->worker_delay_us);
	if (put(run->out, metrics, "average_rps", rps, err) ||
	    put(run->out, metrics, "message_delay", r->message_delay_us, err) ||
	    put(run->out, metrics, "worker_delay", r->worker_delay_us, err))
		return -1;
	return cfg->rps || cfg->auto_rps > 0 ? report_open(run, r, metrics, seconds, err) : 0;
}
