import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { namespaces } from "../namespaces.ts";
import { domainXml, loginXml, pw, ServedRegistry, xmlns, type EppClient } from "./serve-sandbox.fixture.ts";

let served: ServedRegistry;
let ours: EppClient;
let theirs: EppClient;
let count = 0;

/** Returns an unused name, with a label if given. */
function fresh(label = "name"): string {
  count += 1;
  return `${label}-${String(count)}.com`;
}

const day = 86_400_000;

beforeAll(async () => {
  served = await ServedRegistry.start();
  ours = await served.login();
  theirs = await served.login("sandbox2");
});

afterAll(async () => {
  expect(served.failures).toEqual([]);
  await served.close();
});

async function created(name = fresh(), rest = "", by = ours): Promise<string> {
  const answer = await by.command(domainXml("create", name, `${rest}${pw("a-code")}`));
  expect(answer.code).toBe("1000");
  return name;
}

const info = (name: string, by = ours, rest = "") => by.command(domainXml("info", name, rest));

describe("a session", () => {
  it("is greeted with objects and extensions, and again at a hello", async () => {
    const client = await served.connect();
    const greeting = await client.send(`<epp xmlns="${namespaces.epp}"><hello/></epp>`);
    expect(greeting.texts("objURI")).toEqual([namespaces.domain, namespaces.contact, namespaces.host]);
    expect(greeting.texts("extURI")).toEqual([namespaces.secDns, namespaces.rgp, namespaces.fee]);
    client.close();
  });

  it.each([
    ["a wrong password", loginXml("sandbox", "wrong-password"), "2200"],
    ["an unknown registrar", loginXml("nobody", "first-password"), "2200"],
    ["an object that is not offered", loginXml("sandbox", "first-password", ["urn:other"]), "2307"],
    [
      "an extension that is not offered",
      loginXml("sandbox", "first-password", [namespaces.domain], ["urn:other"]),
      "2103",
    ],
    ["no password", loginXml("sandbox", "x").replace("<pw>x</pw>", ""), "2003"],
    ["another language", loginXml("sandbox", "first-password").replace(">en<", ">de<"), "2102"],
    ["another version", loginXml("sandbox", "first-password").replace(">1.0<", ">2.0<"), "2100"],
  ])("does not open with %s", async (_, login, code) => {
    const client = await served.connect();
    expect((await client.send(login)).code).toBe(code);
    expect((await client.command("<poll op='req'/>")).code).toBe("2002");
    client.close();
  });

  it("ends at the third wrong password of a registrar, in any session, until a correct one", async () => {
    const first = await served.login();
    const codes: string[] = [];
    const attempt = async (client: EppClient) =>
      codes.push((await client.send(loginXml("sandbox", "wrong-password"))).code);
    const [second, third] = [await served.connect(), await served.connect()];
    for (const client of [second, second, third]) await attempt(client);
    await expect(third.next()).rejects.toThrow("closed");
    const fourth = await served.connect();
    await attempt(fourth);
    await expect(fourth.next()).rejects.toThrow("closed");
    const right = await served.login();
    await attempt(second);
    expect(codes).toEqual(["2200", "2200", "2501", "2501", "2200"]);
    for (const client of [first, second, right]) client.close();
  });

  it("ends at a logout, with the client's and the server's ids", async () => {
    const client = await served.login();
    const answer = await client.command("<logout/>", "my-own-id");
    expect([answer.code, answer.text("clTRID")]).toEqual(["1500", "my-own-id"]);
    expect(answer.text("svTRID")).toMatch(/^sandbox-/);
    await expect(client.next()).rejects.toThrow("closed");
  });

  it.each([
    ["2000", "<dance/>"],
    ["2001", ""],
    ["2001", "<create><domain:info xmlns:domain='urn:ietf:params:xml:ns:domain-1.0'/></create>"],
    ["2003", "<create/>"],
    ["2003", domainXml("create", "no-code.com")],
    ["2003", "<check><domain:check xmlns:domain='urn:ietf:params:xml:ns:domain-1.0'/></check>"],
    ["2004", domainXml("create", "long.com", `<domain:period unit="y">11</domain:period>${pw("x")}`)],
    ["2005", domainXml("create", "no_name", pw("x"))],
    ["2001", domainXml("transfer", "no-operation.com", pw("x"))],
    ["2101", `<renew><host:renew ${xmlns.host}><host:name>ns1.example</host:name></host:renew></renew>`],
    ["2303", domainXml("info", "nobody-holds-it.com")],
    [
      "2303",
      domainXml("create", "no-contact.com", `<domain:registrant>nobody</domain:registrant>${pw("x")}`),
    ],
    ["2307", `<info><x:info xmlns:x="urn:other"><x:name>a.com</x:name></x:info></info>`],
  ])("answers %s to %s", async (code, command) => {
    expect((await ours.command(command)).code).toBe(code);
  });

  it("answers 2001 to invalid XML and to a long id, and continues", async () => {
    expect((await ours.send("<epp")).code).toBe("2001");
    expect((await ours.command("<poll op='req'/>", "x".repeat(65))).code).toBe("2005");
    expect((await ours.command("<poll op='req'/>")).code).toBe("1300");
  });
});

describe("a domain", () => {
  it("is available, registered and shown, with the price", async () => {
    const name = fresh();
    const asked = domainXml("check", name);
    const fee = `<extension><fee:check ${xmlns.fee}><fee:command name="create"><fee:period unit="y">2</fee:period></fee:command></fee:check></extension>`;
    const check = await ours.command(`${asked}${fee}`);
    expect(check.all("name")[0]?.attributes.avail).toBe("1");
    expect([check.text("currency"), check.text("fee")]).toEqual(["EUR", "17.00"]);
    await created(name, `<domain:period unit="y">2</domain:period>`);
    expect((await ours.command(asked)).all("name")[0]?.attributes.avail).toBe("0");
    const shown = await info(name);
    expect(shown.statuses()).toEqual(["inactive"]);
    expect([shown.text("clID"), shown.text("crID"), shown.text("pw")]).toEqual([
      "sandbox",
      "sandbox",
      "a-code",
    ]);
    expect(shown.text("exDate").slice(0, 10)).toBe("2028-11-21");
    expect(shown.all("rgpStatus")[0]?.attributes.s).toBe("addPeriod");
    expect((await ours.command(domainXml("create", name, pw("x")))).code).toBe("2302");
  });

  it("is no registrar's in our own words that did not register it", async () => {
    const name = await created(fresh(), "", theirs);
    const { registrar } = served.fixture.opened;
    expect(await registrar.inquire(name)).toMatchObject({ value: { held: false } });
    expect(await registrar.check(name)).toMatchObject({ value: { available: false } });
    const order = { clientTransactionId: "an-order", name, years: 1, nameservers: [] };
    expect(await registrar.register(order)).toMatchObject({ outcome: "refused" });
  });

  it("is the sandbox's registrar's too, both ways", async () => {
    const { registrar } = served.fixture.opened;
    const name = fresh();
    await registrar.register({ clientTransactionId: name, name, years: 1, nameservers: ["ns1.a.example"] });
    const shown = await info(name);
    expect([shown.statuses(), shown.texts("hostObj")]).toEqual([
      ["clientTransferProhibited"],
      ["ns1.a.example"],
    ]);
    expect(await registrar.authCode(name)).toMatchObject({ value: { authCode: shown.text("pw") } });
    const other = await created();
    expect(await registrar.inquire(other)).toMatchObject({
      value: { held: true, domain: { transferLock: false } },
    });
  });

  it("is made once for each clTRID", async () => {
    await ours.command(domainXml("create", fresh(), pw("x")), "one-order");
    expect((await ours.command(domainXml("create", fresh(), pw("x")), "one-order")).code).toBe("2308");
  });

  it("is renewed from the day that is named, once", async () => {
    const name = await created();
    const renew = domainXml("renew", name, "<domain:curExpDate>2027-11-21</domain:curExpDate>");
    const renewed = await ours.command(renew);
    expect([renewed.code, renewed.text("exDate").slice(0, 10)]).toEqual(["1000", "2028-11-21"]);
    expect((await ours.command(renew)).code).toBe("2105");
    expect((await theirs.command(renew)).code).toBe("2201");
  });

  it("accepts nameservers, statuses, contacts, a code and digests", async () => {
    const name = await created();
    const update = (rest: string, extension = "") =>
      ours.command(domainXml("update", name, rest) + extension);
    const attribute = `<domain:hostAttr><domain:hostName>ns1.${name}</domain:hostName><domain:hostAddr ip="v6">2001:db8::1</domain:hostAddr></domain:hostAttr>`;
    const lock = `<domain:status s="clientTransferProhibited"/><domain:status s="clientUpdateProhibited"/>`;
    const ds = `<secDNS:dsData><secDNS:keyTag>12345</secDNS:keyTag><secDNS:alg>13</secDNS:alg><secDNS:digestType>2</secDNS:digestType><secDNS:digest>${"ab".repeat(32)}</secDNS:digest></secDNS:dsData>`;
    const digests = (inner: string) =>
      `<extension><secDNS:update ${xmlns.secDns}>${inner}</secDNS:update></extension>`;
    expect(
      await update(
        `<domain:add><domain:ns>${attribute}</domain:ns>${lock}</domain:add><domain:chg>${pw("new")}</domain:chg>`,
        digests(`<secDNS:add>${ds}</secDNS:add>`),
      ),
    ).toMatchObject({ code: "1000" });
    const shown = await info(name);
    expect(shown.statuses()).toEqual(["clientUpdateProhibited", "clientTransferProhibited"]);
    expect([shown.text("hostName"), shown.text("hostAddr"), shown.text("pw")]).toEqual([
      `ns1.${name}`,
      "2001:db8::1",
      "new",
    ]);
    expect([shown.text("keyTag"), shown.text("digest")]).toEqual(["12345", "AB".repeat(32)]);
    expect((await update(`<domain:chg>${pw("x")}</domain:chg>`)).code).toBe("2304");
    const open = `<domain:rem><domain:ns><domain:hostObj>ns1.${name}</domain:hostObj></domain:ns>${lock}</domain:rem>`;
    expect((await update(open, digests(`<secDNS:rem><secDNS:all>true</secDNS:all></secDNS:rem>`))).code).toBe(
      "1000",
    );
    const after = await info(name);
    expect([after.statuses(), after.texts("dsData")]).toEqual([["inactive"], []]);
    expect((await update("")).code).toBe("2003");
    expect((await update(`<domain:add><domain:status s="serverHold"/></domain:add>`)).code).toBe("2306");
  });

  it("is deleted at once in its first days, and can be restored later", async () => {
    const young = await created();
    expect((await ours.command(domainXml("delete", young))).code).toBe("1000");
    expect((await info(young)).code).toBe("2303");
    const old = await created();
    served.fixture.clock.epochMs += 6 * day;
    expect((await ours.command(domainXml("delete", old))).code).toBe("1001");
    expect((await info(old)).all("rgpStatus")[0]?.attributes.s).toBe("redemptionPeriod");
    const restore = `${domainXml("update", old, "<domain:chg/>")}<extension><rgp:update ${xmlns.rgp}><rgp:restore op="request"/></rgp:update></extension>`;
    expect((await ours.command(restore)).code).toBe("1000");
    expect((await info(old)).statuses()).toEqual(["inactive"]);
    expect((await ours.command(restore)).code).toBe("2304");
    await ours.command(domainXml("delete", old));
    served.fixture.clock.epochMs += 36 * day;
    expect((await info(old)).code).toBe("2303");
  });

  it("is refused to who would pay less, or in another currency", async () => {
    const ordered = (currency: string, amount: string) =>
      ours.command(
        `${domainXml("create", fresh(), pw("x"))}<extension><fee:create ${xmlns.fee}><fee:currency>${currency}</fee:currency><fee:fee>${amount}</fee:fee></fee:create></extension>`,
      );
    expect((await ordered("EUR", "8.49")).code).toBe("2004");
    expect((await ordered("USD", "8.50")).code).toBe("2004");
    const paid = await ordered("EUR", "8.50");
    expect([paid.code, paid.text("fee")]).toEqual(["1000", "8.50"]);
  });
});

describe("a transfer", () => {
  const request = (name: string, code: string, by = theirs) =>
    by.command(domainXml("transfer", name, pw(code), "request"));
  const act = (op: string, name: string, by: EppClient) => by.command(domainXml("transfer", name, "", op));

  async function queueOf(client: EppClient): Promise<string[]> {
    const messages: string[] = [];
    for (;;) {
      const message = await client.command("<poll op='req'/>");
      if (message.code !== "1301") return messages;
      messages.push([message.texts("msg")[1], message.text("trStatus"), message.text("name")].join(" "));
      const acknowledged = await client.command(
        `<poll op="ack" msgID="${message.all("msgQ")[0]?.attributes.id ?? ""}"/>`,
      );
      expect(acknowledged.code).toBe("1000");
    }
  }

  it.each([
    ["approve", "clientApproved", "Transfer approved.", "sandbox2"],
    ["reject", "clientRejected", "Transfer rejected.", "sandbox"],
  ])("is decided by the losing registrar: %s", async (op, status, text, holder) => {
    const name = await created();
    await queueOf(ours);
    await queueOf(theirs);
    const pending = await request(name, "a-code");
    expect([pending.code, pending.text("trStatus")]).toEqual(["1001", "pending"]);
    expect((await info(name)).statuses()).toContain("pendingTransfer");
    expect((await ours.command(domainXml("delete", name))).code).toBe("2304");
    expect((await request(name, "a-code")).code).toBe("2300");
    expect((await act(op, name, theirs)).code).toBe("2201");
    expect((await act(op, name, ours)).text("trStatus")).toBe(status);
    expect((await act("query", name, theirs)).text("trStatus")).toBe(status);
    const shown = await info(name);
    expect(shown.text("clID")).toBe(holder);
    expect(await queueOf(ours)).toEqual([`Transfer requested. pending ${name}`]);
    expect(await queueOf(theirs)).toEqual([`${text} ${status} ${name}`]);
    expect((await act(op, name, ours)).code).toBe("2301");
  });

  it("can be withdrawn by its requester, and otherwise completes after five days", async () => {
    const name = await created();
    await request(name, "a-code");
    expect((await act("cancel", name, ours)).code).toBe("2201");
    expect((await act("cancel", name, theirs)).code).toBe("1000");
    await request(name, "a-code");
    served.fixture.clock.epochMs += 5 * day;
    const shown = await info(name, theirs);
    expect([shown.text("clID"), shown.text("trDate")]).toEqual([
      "sandbox2",
      expect.stringMatching(/^2026|^2027/),
    ]);
    expect(await queueOf(theirs)).toContain(`Transfer approved. serverApproved ${name}`);
    expect(await queueOf(ours)).toContain(`Transfer cancelled. clientCancelled ${name}`);
  });

  it("needs the code, another registrar, and no lock", async () => {
    const name = await created();
    expect((await request(name, "another")).code).toBe("2202");
    expect((await request(name, "a-code", ours)).code).toBe("2106");
    expect((await request(fresh(), "a-code")).code).toBe("2303");
    await ours.command(
      domainXml("update", name, `<domain:add><domain:status s="clientTransferProhibited"/></domain:add>`),
    );
    expect((await request(name, "a-code")).code).toBe("2304");
    expect((await info(name, theirs)).texts("pw")).toEqual([]);
    expect((await info(name, theirs, pw("another"))).code).toBe("2202");
    expect((await info(name, theirs, pw("a-code"))).text("crDate")).not.toBe("");
  });

  it("from another registrar follows the sandbox's labels", async () => {
    const [name, kept] = [fresh("elsewhere"), fresh("elsewhere-refused")];
    expect((await info(name)).text("clID")).toBe("elsewhere");
    expect((await request(name, "another", ours)).code).toBe("2202");
    expect((await request(name, "let-me-go", ours)).code).toBe("1001");
    expect((await request(kept, "let-me-go", ours)).code).toBe("1001");
    served.fixture.clock.epochMs += 1_000;
    expect((await info(name)).text("clID")).toBe("sandbox");
    expect((await act("query", kept, ours)).text("trStatus")).toBe("clientRejected");
    expect((await queueOf(ours)).toSorted()).toEqual([
      `Transfer approved. clientApproved ${name}`,
      `Transfer rejected. clientRejected ${kept}`,
    ]);
  });
});
