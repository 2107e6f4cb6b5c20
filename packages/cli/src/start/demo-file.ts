import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "@hostledger/runtime";
import { z } from "zod";
import { errorCodeOf } from "../error-code.ts";

const demoSchema = z.object({
  base_url: z.string(),
  api_key: z.string(),
  account_id: z.number().int(),
  server_ids: z.array(z.number().int()),
});

/** What `DATA/demo.json` keeps of the demonstration account. Its keys are a contract. */
export type DemoFile = z.infer<typeof demoSchema>;

/** Where the file is. */
export function demoPath(dataDirectory: string): string {
  return join(dataDirectory, "demo.json");
}

/** Writes the file, readable by its owner only, since it holds a key. */
export function writeDemoFile(dataDirectory: string, demo: DemoFile): void {
  writeFileAtomically(demoPath(dataDirectory), `${JSON.stringify(demo, undefined, 2)}\n`, 0o600);
}

/**
 * Sets the address of this start in the file of an earlier one, since the port may be another now.
 * @returns false when there is no such file, or something else under its name, which is left alone.
 */
export function refreshDemoFile(dataDirectory: string, baseUrl: string): boolean {
  const demo = readDemoFile(dataDirectory);
  if (demo === undefined) return false;
  if (demo.base_url !== baseUrl) writeDemoFile(dataDirectory, { ...demo, base_url: baseUrl });
  return true;
}

function readDemoFile(dataDirectory: string): DemoFile | undefined {
  try {
    return demoSchema.safeParse(JSON.parse(readFileSync(demoPath(dataDirectory), "utf8"))).data;
  } catch (error) {
    if (error instanceof SyntaxError || errorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
