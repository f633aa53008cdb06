// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <time.h>

#include "dhry.h"

/* The compiler must believe that @x may be anything from here on. */
#define HIDE(x) __asm__ volatile("" : "+r"(x) : : "memory")

#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noinline, noclone))
#endif

struct record {
	struct record *next;
	uint64_t kind, number;
	char name[40];
};

APART static uint64_t arithmetic(uint64_t a, uint64_t b)
{
	uint64_t quotient;

	a = a * 5 + (b ^ 0x2d);
	HIDE(a);
	quotient = a / (b | 3);
	HIDE(quotient);
	return quotient * 7 + a % 11;
}

APART static uint64_t copy_record(struct record *to, const struct record *from, uint64_t number)
{
	HIDE(to);
	HIDE(from);
	*to = *from;
	HIDE(to);
	to->number = number;
	to->kind = from->kind + (number & 3);
	to->next = NULL;
	HIDE(to);
	return to->kind + to->number;
}

APART static int compare_names(const char *a, const char *b)
{
	HIDE(a);
	HIDE(b);
	for (size_t i = 0; i < sizeof(((struct record *)0)->name); i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
		if (!a[i])
			break;
	}
	return 0;
}

APART static uint64_t array_step(uint32_t *table, uint64_t index, uint64_t value)
{
	uint32_t *row = table + index % 16 * 16;

	HIDE(row);
	row[value & 15] += (uint32_t)value;
	row[(value + 1) & 15] = row[value & 15] ^ (uint32_t)index;
	HIDE(row);
	return row[index & 15];
}

APART static uint64_t choose(uint64_t kind, uint64_t value)
{
	HIDE(kind);
	switch (kind & 7) {
	case 0:
		return value + 3;
	case 1:
		return value ^ 0x55;
	case 2:
		return value * 9;
	case 3:
		return value - (kind >> 2);
	case 4:
		return ~value;
	default:
		return value >> 1;
	}
}

void dhry_init(struct dhry *d)
{
	for (unsigned i = 0; i < 8; i++)
		d->state[i] = 0x9e3779b97f4a7c15 * (i + 1);
}

uint64_t dhry_loop(struct dhry *d, uint64_t n)
{
	static const char first[40] = "a string of no meaning, number one";
	static const char second[40] = "a string of no meaning, number two";
	struct record from = {.kind = 2}, to;
	uint32_t table[256] = {0};
	uint64_t x = d->state[0], digest = d->state[1];

	memcpy(from.name, first, sizeof(first));
	for (uint64_t i = 0; i < n; i++) {
		x = arithmetic(x, i);
		digest += copy_record(&to, &from, x);
		digest += (uint64_t)compare_names(to.name, i & 1 ? second : first);
		digest ^= array_step(table, i, x);
		x = choose(x ^ digest, x + i);
		digest = arithmetic(digest, x);
		HIDE(digest);
	}
	d->state[0] = x;
	d->state[1] = digest;
	return digest;
}

APART static uint64_t chain(uint64_t n)
{
	uint64_t x = 3;

	for (uint64_t i = 0; i < n; i++) {
		x *= 0x9e3779b97f4a7c15;
		HIDE(x);
	}
	return x;
}

/* CPU time of this thread: other tasks do not count. */
static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

bool dhry_is_whole(void)
{
	enum { ROUNDS = 5, N = 20000, FLOOR = 10 };
	uint64_t loop = UINT64_MAX, reference = UINT64_MAX;
	struct dhry d;

	dhry_init(&d);
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t start = cpu_ns(), middle, end;

		dhry_loop(&d, N);
		middle = cpu_ns();
		chain((uint64_t)N * FLOOR);
		end = cpu_ns();
		loop = middle - start < loop ? middle - start : loop;
		reference = end - middle < reference ? end - middle : reference;
	}
	return loop >= reference;
}
