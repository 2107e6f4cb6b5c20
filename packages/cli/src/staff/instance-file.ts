import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "@hostledger/runtime";
import { z } from "zod";
import { unreachable } from "../exit-code.ts";
import { errorCodeOf } from "../error-code.ts";

const instanceSchema = z.object({
  /** Where customers reach it; ends in `/api/v1`. */
  base_url: z.string(),
  /** Where its staff listener is. */
  admin_url: z.string(),
  /** Where other services reach it. */
  rpc_url: z.string(),
  pid: z.number().int().positive(),
});

/** What `DATA/instance.json` says while an instance runs on that data directory. Its keys are a contract. */
export type Instance = z.infer<typeof instanceSchema>;

/** Tells where the running instance can be found. */
export function writeInstance(dataDirectory: string, instance: Instance): void {
  writeFileAtomically(instancePath(dataDirectory), `${JSON.stringify(instance, undefined, 2)}\n`, 0o600);
}

/** Takes the file away; a missing one is as it should be. */
export function removeInstance(dataDirectory: string): void {
  rmSync(instancePath(dataDirectory), { force: true });
}

/**
 * Reads where the running instance can be found.
 * @throws CommandFailure (3) when no instance runs on that data directory, as far as the file tells.
 */
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
