import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Reads a figure without labels at `/metrics`; undefined if the instance does not show it. */
export async function metricOf(
  { adminUrl, data }: { readonly adminUrl: string; readonly data: string },
  name: string,
): Promise<number | undefined> {
  const credential = readFileSync(join(data, "admin.token"), "utf8").trim();
  const headers = { authorization: `Bearer ${credential}` };
  const text = await (await fetch(new URL("/metrics", adminUrl), { headers })).text();
  const value = new RegExp(`^${name} (\\S+)$`, "mu").exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}
