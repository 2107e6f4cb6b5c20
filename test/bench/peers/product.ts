import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { createStaffClient, type StaffClient } from "@hostledger/rpc";
import { z } from "zod";

import { commandLine, programSource } from "../../support/programs.ts";
import { openBuyers, type Customer } from "../../support/staff-client.ts";
import { openingBalanceCents } from "./accounts.ts";

const instanceSchema = z.object({ base_url: z.url(), admin_url: z.url(), pid: z.int() });
/** A bound against hanging: on data that another program wrote, the read models follow the log first. */
const startLimitMs = 300_000;
/** Above the load of one key; requests are counted and headers sent, as in production. */
const productRateLimit = "1000000";

/** The product as an operator runs it: `hostledger start` in a process of its own, its log in a file. */
export interface Product {
  readonly baseUrl: string;
  readonly port: number;
  readonly pid: number;
  readonly staff: StaffClient;
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts it on free ports and on the data that the directory has, with the default configuration but for the rate limit.
 * @param nodeOptions for profiles, which are taken of its source.
 * @param environment further settings.
 */
export async function startProduct(
  directory: string,
  nodeOptions = "",
  environment: Readonly<Record<string, string>> = {},
): Promise<Product> {
  mkdirSync(directory, { recursive: true });
  const data = join(directory, "data");
  const log = openSync(join(directory, "log"), "a");
  const child = spawn(
    process.execPath,
    [
      nodeOptions === "" ? commandLine : programSource("hostledger"),
      "start",
      "--port",
      "0",
      "--admin-port",
      "0",
      "--data",
      data,
    ],
    {
      env: {
        ...process.env,
        NODE_OPTIONS: nodeOptions,
        HOSTLEDGER_RATE_LIMIT: productRateLimit,
        ...environment,
      },
      stdio: ["ignore", "ignore", log],
    },
  );
  closeSync(log);
  const exited = once(child, "exit");
  const killNow = (): void => void child.kill("SIGKILL");
  process.once("exit", killNow);
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await exited;
    process.off("exit", killNow);
  };

  const reported = join(data, "instance.json");
  const limitMs = performance.now() + startLimitMs;
  while (!existsSync(reported)) {
    if (child.exitCode !== null || performance.now() > limitMs) {
      throw new Error(`hostledger start did not come up: ${readFileSync(join(directory, "log"), "utf8")}`);
    }
    await pause(20);
  }
  const {
    base_url: baseUrl,
    admin_url: adminUrl,
    pid,
  } = instanceSchema.parse(JSON.parse(readFileSync(reported, "utf8")));
  const staff = createStaffClient({
    baseUrl: adminUrl,
    credential: readFileSync(join(data, "admin.token"), "utf8").trim(),
  });
  return { baseUrl, port: Number(new URL(baseUrl).port), pid, staff, stop, [Symbol.asyncDispose]: stop };
}

/** Puts `.com` on sale and opens accounts with money on them. */
export function openCustomers(
  product: Pick<Product, "staff" | "baseUrl">,
  count: number,
): Promise<readonly Customer[]> {
  return openBuyers(
    product,
    Array.from({ length: count }, () => openingBalanceCents),
  );
}
