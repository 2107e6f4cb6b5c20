import { virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { prepareStart, recover, type Course, type Start } from "../support/crash-course.ts";
import { limited } from "../support/limited.ts";
import { photographCourse, type Photo } from "../support/photographed-course.ts";
import { courses, untriedMoments } from "../support/registration-courses.ts";

/**
 * A power cut before the first and after each append and provider call of a registration, in every course that a
 * registration can take: nothing is kept between one step's end and the next one's beginning. What it leaves on the disk is
 * copied in one run of each course, which waits for the copy. Each copy is then started, and within 60 s everything is
 * settled: the audit compares books, registrar, DNS server and read models, and the name is asked for once more.
 *
 * Courses wait more than they work, for time limits, limbo, and the next attempt at a zone: here by a clock by which that
 * costs nothing. The same moments come to real processes in real time, each killed by a signal, in `crash-points-killed`.
 */

/** One clock for all instances, so that none finds events from its future. */
const clock = virtualClock();

const inTurn = limited(4);

interface Plan {
  readonly start: Start;
  readonly photos: readonly Photo[];
}

let plans = new Map<Course, Plan>();
const tried = new Set<string>();

beforeAll(async () => {
  const planned = courses.map((course) =>
    inTurn(async () => {
      const start = await prepareStart(course, clock);
      return [course, { start, photos: await photographCourse(course, start) }] as const;
    }),
  );
  plans = new Map(await Promise.all(planned));
});

afterAll(() => {
  for (const { start, photos } of plans.values()) {
    start.remove();
    for (const { remove } of photos) remove();
  }
});

async function findingsAfter(course: Course, start: Start, photo: Photo): Promise<readonly string[]> {
  if (photo.data === undefined) throw new Error(`there is no photo of ${photo.moment}`);
  const findings = await recover(course, start, photo.data, photo.acknowledged);
  photo.remove();
  return findings.map((finding) => `${photo.moment}: ${finding}`);
}

describe("wherever the power fails, a registration ends as the contract says", () => {
  it.concurrent.each(courses)("$name", async (course) => {
    const plan = plans.get(course);
    if (plan === undefined) throw new Error("the course was not planned");
    const { start, photos } = plan;
    const moments = photos.map(({ moment }) => moment);
    const crashes = untriedMoments(course, moments, tried).flatMap((index) => {
      const photo = photos[index];
      return photo === undefined ? [] : [inTurn(() => findingsAfter(course, start, photo))];
    });
    expect(crashes.length).toBeGreaterThan(0);
    expect((await Promise.all(crashes)).flat()).toEqual([]);
  });
});
