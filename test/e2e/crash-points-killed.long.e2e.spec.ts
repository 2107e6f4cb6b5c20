import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { crashCourse, momentsOf, prepareStart, type Course, type Start } from "../support/crash-course.ts";
import { limited } from "../support/limited.ts";

/**
 * The process is killed before the first and after each append and provider call of a registration, in every course that a
 * registration can take: nothing is kept between one step's end and the next one's beginning. The same data is then started again, and within 60 s everything is settled: the audit compares
 * books, registrar, DNS server and read models, and the name is asked for once more.
 *
 * A first run of each course without a crash learns its moments. Two courses share moments until they part, and a loop
 * passes the same ones again and again; a moment is tried once for each set of things that came before it. The killed
 * process is a real one with the command line's own start; the one that recovers is a whole instance in this process, to
 * save the time of loading everything a hundred times. `crash-under-load` restarts real processes.
 *
 * Left out: `offline`, which to the process is `refused`; `slow`, which takes longer and no other way; `taken`, which ends
 * before anything is written; labels together, such as `lost` with nameservers of one's own; and, where two registrations
 * meet in one balance, the reservation of ids, which could be for either.
 */

const ownNameservers = ["ns1.customer.example", "ns2.customer.example"];
const rich = { balanceCents: 10_000n } as const;

const courses: readonly Course[] = [
  { name: "plain.com", answer: "201", ...rich },
  { name: "refused.com", answer: "500 registrar_failed", ...rich },
  { name: "lost.com", answer: "201", ...rich },
  { name: "timeout.com", answer: "500 registrar_failed", ...rich },
  { name: "limbo.com", answer: "500 registrar_failed", ...rich },
  { name: "own.com", nameservers: ownNameservers, answer: "201", ...rich },
  { name: "badns.com", nameservers: ownNameservers, answer: "201", ...rich },
  { name: "nozone.com", answer: "201", ...rich },
  {
    name: "poor.com",
    losesMoneyTo: "first.com",
    answer: "400 insufficient_balance",
    balanceCents: 1_190n,
  },
];

/** Courses wait more than they work: for time limits, limbo, and the next attempt at a zone. */
const inTurn = limited(4);

interface Plan {
  readonly start: Start;
  readonly moments: readonly string[];
}

let plans = new Map<Course, Plan>();
const tried = new Set<string>();

beforeAll(async () => {
  const planned = courses.map((course) =>
    inTurn(async () => {
      const start = await prepareStart(course);
      return [course, { start, moments: await momentsOf(course, start) }] as const;
    }),
  );
  plans = new Map(await Promise.all(planned));
});

afterAll(() => {
  for (const { start } of plans.values()) start.remove();
});

/** Indexes of the moments that no earlier course has in the same place. */
function untried({ name, nameservers }: Course, moments: readonly string[]): readonly number[] {
  return moments.flatMap((moment, index) => {
    if (index > 0 && moment.startsWith("before ")) return [];
    const passed = [...new Set(moments.slice(0, index))];
    // What a silent registrar did is not among the moments, nor what was ordered.
    const isUnanswered =
      passed.includes("before register") && !passed.some((one) => one.startsWith("after register"));
    const key = JSON.stringify([nameservers ?? null, isUnanswered ? name : null, passed, moment]);
    if (tried.has(key)) return [];
    tried.add(key);
    return [index];
  });
}

describe("wherever the process dies, a registration ends as the contract says", () => {
  it.concurrent.each(courses)(
    "$name",
    async (course) => {
      const plan = plans.get(course);
      if (plan === undefined) throw new Error("the course was not planned");
      const { start, moments } = plan;
      const crashes = untried(course, moments).map((index) =>
        inTurn(() => crashCourse(course, start, moments, index)),
      );
      expect(crashes.length).toBeGreaterThan(0);
      expect((await Promise.all(crashes)).flat()).toEqual([]);
    },
    900_000,
  );
});
