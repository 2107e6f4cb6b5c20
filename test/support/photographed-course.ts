import { cpSync } from "node:fs";

import { defined, realTiming } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";

import { attempts, courseEnvironment, register, type Course, type Start } from "./crash-course.ts";
import { watchingDecorators } from "./crash-points.ts";
import { startInstance } from "./instance.ts";
import { inShort } from "./promises.ts";
import type { RestAnswer } from "./rest-client.ts";
import { settled } from "./settled.ts";
import { copyOfData } from "./snapshots.ts";
import { customerAt } from "./staff-client.ts";

/** Data of a power cut at one moment of a course. */
export interface Photo {
  readonly moment: string;
  /** A data directory; undefined where none was taken, between one step's end and the next one's beginning. */
  readonly data: string | undefined;
  /** Answer that the client had got by then. */
  readonly acknowledged: RestAnswer | undefined;
  remove(): void;
}

/** Runs a course once, and copies its data at every moment. The caller removes each copy. */
export async function photographCourse(course: Course, start: Start): Promise<readonly Photo[]> {
  const answers: string[] = [];
  while (answers.length < attempts) {
    const { answer, photos } = await photographOnce(course, start);
    if (inShort(answer) === course.answer) return photos;
    for (const { remove } of photos) remove();
    answers.push(inShort(answer));
  }
  throw new Error(`${course.name} answered ${answers.join(", ")} and never ${course.answer}`);
}

async function photographOnce(
  { name, nameservers, losesMoneyTo }: Course,
  { data, customer, clock }: Start,
): Promise<{ readonly answer: RestAnswer | undefined; readonly photos: readonly Photo[] }> {
  const timing = clock ?? realTiming;
  const directory = temporaryDirectory();
  cpSync(data, directory.path, { recursive: true });
  const photos: Photo[] = [];
  let acknowledged: RestAnswer | undefined;
  const take = (moment: string): void => {
    const isBetweenSteps = photos.length > 0 && moment.startsWith("before ");
    const copy = isBetweenSteps ? undefined : copyOfData(directory.path);
    photos.push({ moment, data: copy?.path, acknowledged, remove: () => copy?.remove() });
  };
  const watch = { name, yieldsToOther: losesMoneyTo !== undefined };
  const instance = await startInstance({
    data: directory.path,
    environment: courseEnvironment,
    ...defined({ clock }),
    decorate: watchingDecorators(watch, take),
  });
  try {
    const client = customerAt(instance.baseUrl, customer);
    const answering = register(client, name, nameservers).then((answer) => (acknowledged = answer));
    if (losesMoneyTo !== undefined) {
      // The name is reserved and the balance was read.
      while (!photos.some(({ moment }) => moment === "before append RegistrationReserved"))
        await timing.sleep(10);
      await register(client, losesMoneyTo, undefined);
    }
    const answer = await answering;
    // A registration can go on after its answer.
    await settled(instance.staff, timing);
    return { answer, photos: [...photos] };
  } finally {
    await instance.close();
    directory.remove();
  }
}
