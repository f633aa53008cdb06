/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TARGET_ACCEL_H
#define SCHEDBENCH_TARGET_ACCEL_H

#include <stdbool.h>

#include "config/config.h"
#include "util/error.h"

struct accel_request {
	const struct machine *machine; /* its accel: auto, kvm or tcg */
	const char *image, *initrd; /* what a probe guest is booted from */
	const char *identity; /* of the kernel */
	int interrupt_fd; /* -1: none */
};

struct accel_decision {
	bool kvm;
	char why[512]; /* of TCG: "KVM is there but ..."; "" for KVM */
	bool unproven; /* KVM failed with this guest, which has not been seen to work elsewhere */
};

/*
 * KVM where a guest really runs in it, else TCG. /dev/kvm may open and create guests that never
 * execute an instruction, so that only the agent's answer from a probe guest of one CPU counts,
 * and it has to come within 10 s.
 *
 * The outcome is kept in the cache for this boot of the host, this QEMU and this /dev/kvm. A
 * success holds for every kernel. A failure holds for the guest it was seen with, which may itself
 * be what does not boot; once that one has worked under TCG (accel_confirm()) it holds for all.
 *
 * `accel: kvm` where KVM does not work is an ERROR_FAILED.
 */
int accel_choose(struct accel_decision *out, const struct accel_request *req, struct error *err);

/* The guest of an unproven choice ran to its end under TCG: it is KVM that does not work. */
void accel_confirm(const struct accel_decision *decision);

#endif
