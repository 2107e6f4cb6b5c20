import { createClient } from "@connectrpc/connect";
import { account } from "@hostledger/protocol";
import { expect, it } from "vitest";

import { accountService } from "../testing/account-service.fixture.ts";
import { createInProcessTransport } from "../transport/in-process-transport.ts";
import { callHeaders } from "./headers.ts";
import { staleReadsInterceptor } from "./stale-reads.interceptor.ts";

it("names the stopped read models in every answer, and none while all follow", async () => {
  let parked: readonly string[] = [];
  const service = accountService({ getAccount: () => ({}) });
  const transport = createInProcessTransport([service], {
    interceptors: [staleReadsInterceptor(() => parked)],
  });
  const client = createClient(account.AccountService, transport);
  const heard = async (): Promise<string | null | undefined> => {
    let stale: string | null | undefined;
    await client.getAccount({}, { onHeader: (header) => (stale = header.get(callHeaders.staleReads)) });
    return stale;
  };
  expect(await heard()).toBeNull();
  parked = ["domain.domains", "domain.prices"];
  expect(await heard()).toBe("domain.domains, domain.prices");
});
