import { create } from "@bufbuild/protobuf";
import { domain } from "@hostledger/protocol";
import { expect, it } from "vitest";

import { domainMessage } from "../testing/fake-services.ts";
import { gatewayUnderTest } from "../testing/gateway-under-test.ts";

it.each(["ascii", "é", "–", "😀"])("sends the text %s as UTF-8, with its number of bytes", async (text) => {
  const named = create(domain.DomainSchema, { ...domainMessage(7n, "a.com"), provider: text });
  const gateway = await gatewayUnderTest({ domain: { listDomains: () => ({ domains: [named] }) } });
  const { headers, json } = await gateway.request("/domains");
  expect(json).toMatchObject([{ provider: text }]);
  expect(headers.get("content-length")).toBe(String(Buffer.byteLength(JSON.stringify(json))));
});
