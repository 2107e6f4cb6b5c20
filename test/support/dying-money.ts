import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { expect, onTestFinished } from "vitest";

const program = fileURLToPath(new URL("./dying-money.fixture.ts", import.meta.url));

/** A process that moves money and kills itself. */
export interface MoneyDeath {
  readonly data: string;
  /** API key of the customer, the first account; absent for a course without one. */
  readonly apiKey?: string;
  /** `payment`, `import`, or a name of `moneyOutCourses`. */
  readonly course: string;
  readonly point: readonly [moment: "after" | "before", type: string];
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs a process until it has killed itself at the point. */
export async function dieAt({ data, apiKey = "-", course, point, environment }: MoneyDeath): Promise<void> {
  const dying = spawn(process.execPath, [program, data, apiKey, course, ...point], {
    stdio: "inherit",
    env: { ...process.env, ...environment },
  });
  onTestFinished(() => {
    dying.kill("SIGKILL");
  });
  expect(await once(dying, "exit")).toEqual([null, "SIGKILL"]);
}

/** Returns the points before and after the first append of each event. */
export function bothSides(
  types: readonly string[],
): readonly (readonly ["after" | "before", type: string])[] {
  return types.flatMap((type) => [["before", type] as const, ["after", type] as const]);
}
