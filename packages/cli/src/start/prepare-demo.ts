import type { Standalone } from "@hostledger/host";
import { demoPath, refreshDemoFile, writeDemoFile } from "./demo-file.ts";
import { demoGreeting } from "./demo-greeting.ts";

/**
 * Opens the demonstration account when that is asked for and the store holds nothing else, and keeps `DATA/demo.json` true.
 * @returns what to print below the `ready` line.
 */
export async function prepareDemo(
  dataDirectory: string,
  standalone: Standalone,
  asked: boolean,
): Promise<string> {
  const kept = refreshDemoFile(dataDirectory, standalone.baseUrl);
  const demo = asked ? await standalone.openDemo(kept) : undefined;
  if (demo === undefined) {
    return asked && kept ? `The key of the demo account is in ${demoPath(dataDirectory)}.\n` : "";
  }
  const file = {
    base_url: standalone.baseUrl,
    api_key: demo.apiKey,
    account_id: demo.accountId,
    server_ids: [...demo.serverIds],
  };
  writeDemoFile(dataDirectory, file);
  return demoGreeting(file);
}
