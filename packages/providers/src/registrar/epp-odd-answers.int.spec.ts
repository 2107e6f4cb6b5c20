import { describe, expect, it, onTestFinished } from "vitest";

import { namespaces, type Asked, type Command } from "../epp/index.ts";
import { element, type XmlElement } from "../epp/xml.ts";
import { CountingClient, eppRegistry } from "./epp-replicas.fixture.ts";

/** Tests unusual answers to completed orders (RFC 5731 §3.2); none may undo a sale. */

const { served, orderFor, ...made } = await eppRegistry();
const { domain } = namespaces;
const fiveDaysMs = 5 * 86_400_000;

/** Starts a process that ends with its test, because the registry limits sessions. */
function replica(...as: Parameters<typeof made.replica>): ReturnType<typeof made.replica> {
  const started = made.replica(...as);
  onTestFinished(() => started.client.close());
  return started;
}

type Changes = Readonly<Record<string, Change>>;
type Change = (asked: Asked & { kind: "answered" }) => Asked;

/** Creates a registrar whose registry's answers are changed. */
function registrarWhere(changes: Changes) {
  class ChangedClient extends CountingClient {
    override async ask(command: Command, clientTransactionId?: string): Promise<Asked> {
      const asked = await super.ask(command, clientTransactionId);
      const change = changes[this.sent.at(-1) ?? ""];
      return change === undefined || asked.kind !== "answered" ? asked : change(asked);
    }
  }
  return replica("secret", ChangedClient).registrar;
}

function withData(data: XmlElement | undefined): Change {
  return (asked) => ({ ...asked, response: { ...asked.response, data } });
}

function refusedWith(code: number): Change {
  return (asked) => ({
    ...asked,
    response: { ...asked.response, code, message: "Said by a script", data: undefined },
  });
}

function dates(name: string, created: string | undefined, expires: string | undefined): XmlElement {
  return element(domain, name, [
    element(domain, "name", "name.example"),
    created === undefined ? undefined : element(domain, "crDate", created),
    expires === undefined ? undefined : element(domain, "exDate", expires),
  ]);
}

const unreadable: readonly (readonly [what: string, created?: string, expires?: string])[] = [
  ["no dates"],
  ["empty dates", "", ""],
  ["dates that are none", "today", "n/a"],
  ["a day that there is not", "2026-13-45T00:00:00Z", "2027-02-32"],
  ["days before there were names", "0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z"],
  ["a year of more than four digits", "+275760-09-13T00:00:00Z", "9999-12-31T23:59:59-05:00"],
  ["a day that stands for no end", new Date().toISOString(), "9999-12-31T23:59:59Z"],
  ["an end before its beginning", new Date().toISOString(), "2000-01-01T00:00:00Z"],
  ["a beginning of long ago, and no end", "1990-01-01T00:00:00Z"],
];

describe("a creation that the registry has confirmed", () => {
  it.each([
    ...unreadable.map(([what, ...days]) => [what, dates("creData", ...days)] as const),
    ["no data", undefined] as const,
  ])("stands if the answer has %s", async (_, data) => {
    const registrar = registrarWhere({ "create domain": withData(data) });
    const order = { ...orderFor("odd"), years: 2 };
    const registered = await registrar.register(order);
    const year = new Date().getUTCFullYear() + 2;
    expect(registered).toMatchObject({
      outcome: "done",
      value: {
        name: order.name,
        isExpiryComputed: true,
        expiresAt: expect.stringContaining(String(year)) as string,
      },
    });
  });
});

describe("a renewal that the registry has confirmed", () => {
  it.each([
    ...unreadable.map(([what, ...days]) => [what, dates("renData", ...days)] as const),
    ["no data", undefined] as const,
  ])("stands if the answer has %s", async (_, data) => {
    const order = orderFor("odd");
    const registered = await replica().registrar.register(order);
    const currentExpiresAt = registered.outcome === "done" ? registered.value.expiresAt : "";
    const year = Number(currentExpiresAt.slice(0, 4)) + 1;
    const registrar = registrarWhere({ "renew domain": withData(data) });
    const { name } = order;
    expect(
      await registrar.renew({ clientTransactionId: "renewal", name, currentExpiresAt, years: 1 }),
    ).toMatchObject({
      outcome: "done",
      value: { isExpiryComputed: true, expiresAt: expect.stringContaining(String(year)) as string },
    });
  });
});

describe("a name that is read", () => {
  it.each(unreadable)("is ours if the registry reports %s of it", async (_, created, expires) => {
    const order = orderFor("odd");
    await replica().registrar.register(order);
    const change = (asked: Asked & { kind: "answered" }): Asked => {
      const { data } = asked.response;
      if (data === undefined) return asked;
      const days = dates("infData", created, expires).children.slice(1);
      const children = data.children.filter(({ name }) => name !== "crDate" && name !== "exDate");
      return {
        ...asked,
        response: { ...asked.response, data: { ...data, children: [...children, ...days] } },
      };
    };
    const held = await registrarWhere({ "info domain": change }).inquire(
      order.name,
      order.clientTransactionId,
    );
    expect(held).toMatchObject({ value: { held: true, domain: { isExpiryComputed: true } } });
  });
});

describe("a transfer that the registry has carried out", () => {
  /** Creates a domain at another registrar, and the order for its transfer. */
  async function elsewhere() {
    const theirs = replica("their secret", CountingClient, "sandbox2").registrar;
    const { name, ...rest } = orderFor("moves");
    await theirs.register({ name, ...rest });
    await theirs.updateSettings(name, { transferLock: false });
    const code = await theirs.authCode(name);
    const authCode = code.outcome === "done" ? code.value.authCode : "";
    return { clientTransactionId: `transfer-${name}`, name, authCode };
  }

  /** 2101: the registry does not support the query. 2201, 2301: it answers only while the transfer is pending. */
  it.each([2101, 2201, 2301, 2303, 2304, 2400])(
    "is recognised by the name itself if the question about it is answered %i",
    async (code) => {
      const order = await elsewhere();
      let isMute = false;
      const registrar = registrarWhere({
        "transfer domain": (asked) => (isMute ? refusedWith(code)(asked) : asked),
      });
      expect(await registrar.transferIn(order)).toEqual({ outcome: "pending" });
      served.fixture.clock.epochMs += fiveDaysMs;
      served.fixture.opened.registry.settleTransfers(served.fixture.clock.epochMs);
      const { clientTransactionId } = order;
      isMute = true;
      expect(await registrar.inquireTransfer(order.name, { clientTransactionId })).toMatchObject({
        value: { state: "done", clientTransactionId, domain: { transferLock: true } },
      });
    },
  );

  it('reports "unknown" about the owner of an arrived name if this process did not order it', async () => {
    const order = await elsewhere();
    expect(await replica().registrar.transferIn(order)).toEqual({ outcome: "pending" });
    served.fixture.clock.epochMs += fiveDaysMs;
    served.fixture.opened.registry.settleTransfers(served.fixture.clock.epochMs);
    const { name, clientTransactionId } = order;
    const { registrar } = replica();
    const mute = registrarWhere({ "transfer domain": refusedWith(2301) });
    expect(await mute.inquireTransfer(name, { clientTransactionId })).toMatchObject({ outcome: "unknown" });
    expect(await registrar.inquireTransfer(name, { clientTransactionId })).toMatchObject({
      value: { state: "done", clientTransactionId },
    });
    expect(await mute.inquireTransfer(name, { clientTransactionId })).toMatchObject({
      value: { state: "done" },
    });
  });

  it("is denied if the name was not transferred", async () => {
    const { name, clientTransactionId } = await elsewhere();
    const mute = registrarWhere({ "transfer domain": refusedWith(2301) });
    expect(await mute.inquireTransfer(name, { clientTransactionId })).toMatchObject({
      value: { state: "none" },
    });
  });

  it("is not treated as withdrawn if the question is refused at once", async () => {
    const order = await elsewhere();
    let count = 0;
    const registrar = registrarWhere({
      "transfer domain": (asked) => {
        count += 1;
        if (count === 1) return { ...asked, response: { ...asked.response, code: 1000, data: undefined } };
        return refusedWith(2301)(asked);
      },
    });
    expect(await registrar.transferIn(order)).toEqual({ outcome: "pending" });
  });
});
