import { refusalOf } from "@hostledger/rpc/testing";
import { describe, expect, it } from "vitest";

import { openDomain } from "../effects/effects.fixture.ts";

describe("a caller that may write records of type TXT only", () => {
  const onlyTypes = ["TXT"];
  const text = { type: "TXT", name: "_acme-challenge", value: "token" };

  it("adds, changes and removes those", async () => {
    const { domains, domainId } = await openDomain();
    const { record } = await domains.addDnsRecord({ domainId, content: text, onlyTypes });
    const recordId = record?.id ?? 0n;
    const content = { ...text, value: "another" };
    await expect(domains.updateDnsRecord({ domainId, recordId, content, onlyTypes })).resolves.toMatchObject({
      record: content,
    });
    await domains.deleteDnsRecord({ domainId, recordId, onlyTypes });
  });

  it("can neither create other records, nor change the type of one, nor remove one, and calls no provider", async () => {
    const domain = await openDomain();
    const { domains, domainId } = domain;
    const [record] = (await domains.getDomain({ domainId })).domain?.dnsRecords ?? [];
    const { record: own } = await domains.addDnsRecord({ domainId, content: text });
    const before = await domain.service.store.lastPosition();
    const recordId = record?.id ?? 0n;
    for (const call of [
      () =>
        domains.addDnsRecord({ domainId, content: { ...text, type: "A", value: "192.0.2.7" }, onlyTypes }),
      () => domains.updateDnsRecord({ domainId, recordId, content: text, onlyTypes }),
      () =>
        domains.updateDnsRecord({
          domainId,
          recordId: own?.id ?? 0n,
          content: { ...text, type: "A", value: "192.0.2.7" },
          onlyTypes,
        }),
      () => domains.deleteDnsRecord({ domainId, recordId, onlyTypes }),
    ])
      expect(await refusalOf(call())).toMatchObject({ code: "missing-scope", detail: { scope: "dns" } });
    await expect(domain.service.store.lastPosition()).resolves.toBe(before);
  });
});
