import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { realTiming } from "@hostledger/runtime";
import { temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";

import { attempts, courseEnvironment, recover, register, type Course, type Start } from "./crash-course.ts";
import { crashEnvironment } from "./crash-points.ts";
import { startInstanceProcess, type InstanceProcess } from "./instance-process.ts";
import { inShort } from "./promises.ts";
import { programFile } from "./programs.ts";
import type { RestAnswer } from "./rest-client.ts";
import { settled } from "./settled.ts";
import { customerAt } from "./staff-client.ts";

/**
 * Runs a course without a crash until two runs agree, because a slow machine may add a moment by a time limit, for
 * which a later run would wait in vain.
 * @returns its moments in order.
 */
export async function momentsOf(course: Course, start: Start): Promise<readonly string[]> {
  const ways = new Set<string>();
  const answers: string[] = [];
  while (answers.length < attempts) {
    const { answer, moments } = await withCopy(start, async (data) => {
      const attempt = await attemptCourse(course, start, data, 0);
      await settled(attempt.instance.staff);
      await attempt.instance.kill();
      return { answer: inShort(attempt.answer), moments: linesOf(momentsFile(data)) };
    });
    const way = moments.join();
    if (answer === course.answer && ways.has(way)) return moments;
    if (answer === course.answer) ways.add(way);
    answers.push(answer);
  }
  throw new Error(
    `${course.name} answered ${answers.join(", ")} and never ${course.answer} twice in one way`,
  );
}

/**
 * Crashes a course at a moment, restarts on the same data and lets everything settle; then requests the name again.
 * @param moments of the course; the crash is at the one with this index.
 * @returns a sentence per finding.
 */
export async function crashCourse(
  course: Course,
  start: Start,
  moments: readonly string[],
  index: number,
): Promise<readonly string[]> {
  const others: string[] = [];
  while (others.length < attempts) {
    const outcome = await withCopy(start, (data) => crashOnce(course, start, data, index + 1));
    if (outcome.passed.join() === moments.slice(0, index + 1).join())
      return outcome.findings.map((finding) => `${moments[index] ?? ""}: ${finding}`);
    others.push(outcome.passed.slice(-3).join(", "));
  }
  return [`${moments[index] ?? ""} never came; the last moments were ${others.join(" | ")}`];
}

async function crashOnce(
  course: Course,
  start: Start,
  data: string,
  crashAt: number,
): Promise<{ readonly passed: readonly string[]; readonly findings: readonly string[] }> {
  const { instance, answer } = await attemptCourse(course, start, data, crashAt);
  // A registration can go on after its answer, so the moment may still be to come.
  await Promise.race([instance.ended, settled(instance.staff).catch(() => undefined)]);
  await instance.kill();
  const passed = linesOf(momentsFile(data));
  // The clock begins after all that was recorded, and from then on no busy machine comes too late for a time limit.
  return { passed, findings: await recover(course, { ...start, clock: virtualClock() }, data, answer) };
}

async function withCopy<Result>(start: Start, use: (data: string) => Promise<Result>): Promise<Result> {
  const { path, remove } = temporaryDirectory();
  try {
    cpSync(start.data, path, { recursive: true });
    return await use(path);
  } finally {
    remove();
  }
}

async function attemptCourse(
  { name, nameservers, losesMoneyTo }: Course,
  { customer }: Start,
  data: string,
  crashAt: number,
): Promise<{ readonly instance: InstanceProcess; readonly answer: RestAnswer | undefined }> {
  const log = momentsFile(data);
  const plan = { name, log, crashAt, yieldsToOther: losesMoneyTo !== undefined };
  const instance = await startInstanceProcess(data, {
    entry: programFile("crashingInstance"),
    environment: { ...courseEnvironment, ...crashEnvironment(plan) },
  });
  const client = customerAt(instance.baseUrl, customer);
  const answering = register(client, name, nameservers);
  if (losesMoneyTo !== undefined) {
    // The name is reserved and the balance was read, unless the process is dead by now.
    const isOver = answering.then(() => true);
    while (!linesOf(log).includes("before append RegistrationReserved"))
      if (await Promise.race([isOver, realTiming.sleep(10).then(() => false)])) break;
    await register(client, losesMoneyTo, undefined);
  }
  return { instance, answer: await answering };
}

function momentsFile(data: string): string {
  return join(data, "moments.log");
}

/** The moments so far. */
function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n").slice(0, -1);
  } catch {
    return [];
  }
}
