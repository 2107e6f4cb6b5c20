import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "@hostledger/runtime";
import { z } from "zod";
import { unreachable } from "../exit-code.ts";
import { errorCodeOf } from "../error-code.ts";

const instanceSchema = z.object({
  /** URL for customers; ends in `/api/v1`. */
  base_url: z.string(),
  /** URL of the staff listener. */
  admin_url: z.string(),
  /** URL for other services. */
  rpc_url: z.string(),
  pid: z.number().int().positive(),
});

/** Contents of `DATA/instance.json` while an instance runs on the directory. The keys are a contract with scripts. */
export type Instance = z.infer<typeof instanceSchema>;

/** Writes the running instance's addresses. */
export function writeInstance(dataDirectory: string, instance: Instance): void {
  writeFileAtomically(instancePath(dataDirectory), `${JSON.stringify(instance, undefined, 2)}\n`, 0o600);
}

export function removeInstance(dataDirectory: string): void {
  rmSync(instancePath(dataDirectory), { force: true });
}

/** Reads the running instance's addresses. @throws CommandFailure (3) if the directory has no file of a running instance. */
export function readInstance(dataDirectory: string): Instance {
  const path = instancePath(dataDirectory);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (errorCodeOf(error) !== "ENOENT") throw unreachable(`${path} could not be read.`, error);
    throw unreachable(
      `No instance runs on ${dataDirectory}. Start one with "hostledger start", or name its data with --data.`,
      error,
    );
  }
  const instance = instanceSchema.safeParse(parseJson(text));
  if (!instance.success) throw unreachable(`${path} is not the file of a running instance.`);
  return instance.data;
}

function instancePath(dataDirectory: string): string {
  return join(dataDirectory, "instance.json");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
