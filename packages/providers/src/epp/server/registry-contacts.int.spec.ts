import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { domainXml, pw, ServedRegistry, xmlns, type EppClient } from "./serve-sandbox.fixture.ts";

let served: ServedRegistry;
let ours: EppClient;
let theirs: EppClient;
let count = 0;

beforeAll(async () => {
  served = await ServedRegistry.start();
  ours = await served.login();
  theirs = await served.login("sandbox2");
});

afterAll(async () => {
  expect(served.failures).toEqual([]);
  await served.close();
});

async function created(rest = ""): Promise<string> {
  count += 1;
  const name = `name-${String(count)}.com`;
  const answer = await ours.command(domainXml("create", name, `${rest}${pw("a-code")}`));
  expect(answer.code).toBe("1000");
  return name;
}

const info = (name: string) => ours.command(domainXml("info", name));

describe("contacts and hosts", () => {
  const contactXml = (verb: string, id: string, rest = "") =>
    `<${verb}><contact:${verb} ${xmlns.contact}><contact:id>${id}</contact:id>${rest}</contact:${verb}></${verb}>`;
  const hostXml = (verb: string, name: string, rest = "") =>
    `<${verb}><host:${verb} ${xmlns.host}><host:name>${name}</host:name>${rest}</host:${verb}></${verb}>`;
  const person =
    `<contact:postalInfo type="int"><contact:name>Ada</contact:name><contact:addr><contact:street>1 Way</contact:street><contact:city>Bonn</contact:city>` +
    `<contact:pc>53111</contact:pc><contact:cc>DE</contact:cc></contact:addr></contact:postalInfo><contact:voice x="7">+49.2281</contact:voice>` +
    `<contact:email>ada@example.com</contact:email><contact:authInfo><contact:pw>code</contact:pw></contact:authInfo>` +
    `<contact:disclose flag="0"><contact:voice/><contact:addr type="int"/></contact:disclose>`;

  it("does not delete a contact while a name uses it", async () => {
    expect((await ours.command(contactXml("create", "ADA-1", person))).code).toBe("1000");
    expect((await ours.command(contactXml("create", "ADA-1", person))).code).toBe("2302");
    expect((await ours.command(contactXml("check", "ADA-1"))).all("id")[0]?.attributes.avail).toBe("0");
    const name = await created(
      `<domain:registrant>ADA-1</domain:registrant><domain:contact type="tech">ADA-1</domain:contact>`,
    );
    const shown = await ours.command(contactXml("info", "ADA-1"));
    expect(shown.statuses()).toEqual(["linked"]);
    expect([shown.text("city"), shown.all("voice")[0], shown.all("disclose")[0]]).toMatchObject([
      "Bonn",
      { text: "+49.2281", attributes: { x: "7" } },
      {
        attributes: { flag: "0" },
        children: [{ name: "voice" }, { name: "addr", attributes: { type: "int" } }],
      },
    ]);
    expect((await theirs.command(contactXml("info", "ADA-1"))).code).toBe("2201");
    expect((await ours.command(contactXml("delete", "ADA-1"))).code).toBe("2305");
    const change = `<contact:chg><contact:email>new@example.com</contact:email></contact:chg>`;
    expect((await ours.command(contactXml("update", "ADA-1", change))).code).toBe("1000");
    expect((await ours.command(contactXml("info", "ADA-1"))).text("email")).toBe("new@example.com");
    expect((await theirs.command(contactXml("update", "ADA-1", change))).code).toBe("2201");
    await ours.command(domainXml("delete", name));
    expect((await ours.command(contactXml("delete", "ADA-1"))).code).toBe("1000");
    expect((await ours.command(contactXml("info", "ADA-1"))).code).toBe("2303");
  });

  it.each([
    ["2003", person.replace(/<contact:email>.*<\/contact:email>/, "")],
    ["2005", person.replace("+49.2281", "0228 1")],
    ["2005", person.replace("DE", "Germany")],
    ["2001", person.replace(`type="int"`, `type="odd"`)],
    [
      "2306",
      person.replace(
        "<contact:street>1 Way</contact:street>",
        "<contact:street>x</contact:street>".repeat(4),
      ),
    ],
  ])("answers %s to a contact that is wrong", async (code, content) => {
    expect((await ours.command(contactXml("create", "WRONG-1", content))).code).toBe(code);
  });

  it("does not delete a host while a name is delegated to it", async () => {
    const name = await created();
    const host = `ns1.${name}`;
    const delegation = `<domain:add><domain:ns><domain:hostObj>${host}</domain:hostObj></domain:ns></domain:add>`;
    expect((await ours.command(domainXml("update", name, delegation))).code).toBe("2303");
    expect((await theirs.command(hostXml("create", host))).code).toBe("2201");
    const address = `<host:addr ip="v4">192.0.2.1</host:addr>`;
    expect((await ours.command(hostXml("create", host, address))).code).toBe("1000");
    expect((await ours.command(hostXml("create", host))).code).toBe("2302");
    expect((await ours.command(hostXml("check", host))).all("name")[0]?.attributes.avail).toBe("0");
    expect((await ours.command(domainXml("update", name, delegation))).code).toBe("1000");
    const shown = await ours.command(hostXml("info", host));
    expect([shown.statuses(), shown.text("addr")]).toEqual([["linked"], "192.0.2.1"]);
    expect((await info(name)).texts("host")).toEqual([host]);
    expect((await ours.command(domainXml("delete", name))).code).toBe("2305");
    expect((await ours.command(hostXml("delete", host))).code).toBe("2305");
    const other = `<host:add><host:addr ip="v6">2001:db8::1</host:addr></host:add><host:rem>${address}</host:rem>`;
    expect((await ours.command(hostXml("update", host, other))).code).toBe("1000");
    expect((await ours.command(hostXml("info", host))).texts("addr")).toEqual(["2001:db8::1"]);
    expect(
      (
        await ours.command(
          hostXml("update", host, `<host:add><host:addr ip="v4">1.2.3</host:addr></host:add>`),
        )
      ).code,
    ).toBe("2005");
    await ours.command(domainXml("update", name, delegation.replaceAll("domain:add", "domain:rem")));
    expect((await ours.command(hostXml("delete", host))).code).toBe("1000");
    expect((await ours.command(hostXml("info", host))).code).toBe("2303");
  });
});
