import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { prepareStart, type Course, type Start } from "../support/crash-course.ts";
import { crashCourse, momentsOf } from "../support/killed-course.ts";
import { limited } from "../support/limited.ts";
import { courses, untriedMoments } from "../support/registration-courses.ts";

/**
 * Kills the process before the first and after each append and provider call of a registration, in every possible
 * course. Then the same data is started again: within 60 s everything is settled, the audit compares books,
 * registrar, DNS server and read models, and the name is requested once more. A first run of each course without a
 * crash records its moments. The killed process is a real one with the command line's start and runs in real time;
 * the recovering one is an instance in this process with virtual time, which saves a hundred starts.
 * `crash-under-load` restarts real processes, and `crash-points` kills none.
 */

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

describe("wherever the process dies, a registration ends as the contract says", () => {
  it.concurrent.each(courses)("$name", async (course) => {
    const plan = plans.get(course);
    if (plan === undefined) throw new Error("the course was not planned");
    const { start, moments } = plan;
    const crashes = untriedMoments(course, moments, tried).map((index) =>
      inTurn(() => crashCourse(course, start, moments, index)),
    );
    expect(crashes.length).toBeGreaterThan(0);
    expect((await Promise.all(crashes)).flat()).toEqual([]);
  });
});
