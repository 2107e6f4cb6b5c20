import { manualClock, yieldToOthers, type ManualClock } from "@hostledger/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { encodeFrame } from "../frames.ts";
import { commandXml, domainXml, EppClient, loginXml, pw, ServedRegistry } from "./serve-sandbox.fixture.ts";

let served: ServedRegistry;
let asking: EppClient;

beforeAll(async () => {
  served = await ServedRegistry.start({ sessionsPerRegistrar: 40 });
  asking = await served.login("sandbox2");
});

afterAll(async () => {
  expect(served.failures).toEqual([]);
  await served.close();
});

async function holderOf(name: string): Promise<string> {
  const shown = await asking.command(domainXml("info", name));
  return shown.code === "1000" ? shown.text("clID") : shown.code;
}

async function session<T>(use: (client: EppClient) => Promise<T>): Promise<T> {
  const client = await served.login();
  try {
    return await use(client);
  } finally {
    client.close();
  }
}

const create = (name: string) => domainXml("create", name, pw("x"));

/** Sends an order and returns its code, or the connection's error; never resolves if the registry stays silent. */
function heard(client: EppClient, name: string): Promise<string> {
  const answer = client.command(create(name)).then(
    ({ code }) => code,
    (error: unknown) => (error instanceof Error ? error.message : "no error"),
  );
  return answer;
}

describe("an order for a name with a label", () => {
  it.each([
    ["taken.com", "2302", "2303"],
    ["elsewhere.com", "2302", "elsewhere"],
    ["refused.com", "2306", "2303"],
    ["offline.com", "2400", "2303"],
    ["code2304.com", "2304", "2303"],
    ["code2305.com", "2305", "2303"],
    ["code2306.com", "2306", "2303"],
    ["lost.com", "closed", "sandbox"],
    ["cutbefore.com", "closed", "2303"],
    ["cutafter.com", "closed", "sandbox"],
    ["halfframe.com", "closed in a frame", "sandbox"],
    ["code1001.com", "1001", "sandbox"],
  ])("%s is answered with %s, and the name is then: %s", async (name, answer, holder) => {
    expect(await session((client) => heard(client, name))).toBe(answer);
    expect(await holderOf(name)).toBe(holder);
  });

  it.each(["code2500.com", "code2502.com"])("%s ends the session", async (name) => {
    await session(async (client) => {
      expect(await heard(client, name)).toBe(name.slice(4, 8));
      await expect(client.next()).rejects.toThrow("closed");
    });
  });

  it.each([
    ["timeout.com", "2303", "2303"],
    ["limbo.com", "2400", "sandbox"],
    ["late.com", "2303", "sandbox"],
  ])(
    "%s is not answered, nor is anything after it; first %s, a minute later %s",
    async (name, first, later) => {
      await session(async (client) => {
        const silence = heard(client, name);
        client.socket.write(encodeFrame(commandXml("<poll op='req'/>")));
        while ((await holderOf(name)) !== first) await yieldToOthers();
        while ((await holderOf(name)) !== later) served.fixture.clock.epochMs += 60_000;
        client.close();
        expect(await silence).toBe("closed");
      });
    },
  );

  it("wronglength.com is answered in a frame that is too short by four bytes", async () => {
    await session(async (client) => {
      await expect(client.command(create("wronglength.com"))).rejects.toThrow(
        /not well-formed|frames are broken/,
      );
    });
    expect(await holderOf("wronglength.com")).toBe("sandbox");
  });

  it("code1001.com shows the pending order, and a poll message reports its end", async () => {
    await session(async (client) => {
      await client.command(create("code1001-again.com"), "the-order");
      const info = () => client.command(domainXml("info", "code1001-again.com"));
      expect((await info()).statuses()).toContain("pendingCreate");
      served.fixture.clock.epochMs += 1_000;
      expect((await info()).statuses()).toEqual(["inactive"]);
      const messages = [];
      for (;;) {
        const message = await client.command("<poll op='req'/>");
        if (message.code !== "1301") break;
        messages.push([message.text("paTRID") || message.texts("clTRID")[0], message.texts("name")[0]]);
        const id = message.all("msgQ")[0]?.attributes.id ?? "";
        await client.command(`<poll op="ack" msgID="${id}"/>`);
      }
      expect(messages).toContainEqual(["the-order", "code1001-again.com"]);
      const renew = domainXml(
        "renew",
        "code1001-again.com",
        "<domain:curExpDate>2027-11-21</domain:curExpDate>",
      );
      expect((await client.command(renew)).code).toBe("1001");
      expect((await info()).text("exDate").slice(0, 4)).toBe("2027");
      served.fixture.clock.epochMs += 1_000;
      expect((await info()).text("exDate").slice(0, 4)).toBe("2028");
    });
  });
});

describe("the registry's limits", () => {
  it("admits a limited number of sessions per registrar, and another after one has ended", async () => {
    const own = await ServedRegistry.start({ sessionsPerRegistrar: 2 });
    const [one] = [await own.login(), await own.login()];
    const third = await own.connect();
    expect((await third.send(loginXml("sandbox", "first-password"))).code).toBe("2502");
    await expect(third.next()).rejects.toThrow("closed");
    expect((await one.command("<logout/>")).code).toBe("1500");
    await expect(one.next()).rejects.toThrow("closed");
    const fourth = await own.login();
    expect((await fourth.command("<poll op='req'/>")).code).toBe("1300");
    await own.close();
  });

  it.each([
    ["4 GB by its header", Buffer.from([255, 255, 255, 255])],
    ["nothing", Buffer.from([0, 0, 0, 4])],
    ["300 KiB", Buffer.from([0, 4, 180, 0])],
    ["HTTP", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
  ])("end a session that sends a frame of %s, with the reason", async (_, bytes) => {
    const client = await served.connect();
    client.socket.write(bytes);
    const answer = await client.next();
    expect(JSON.stringify(answer)).toContain('"code":"2500"');
    await expect(client.next()).rejects.toThrow("closed");
  });

  it.each([
    ["an entity bomb", `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><epp>&b;</epp>`],
    ["elements a thousand deep", `${"<a>".repeat(1_000)}${"</a>".repeat(1_000)}`],
    ["other namespaces", `<epp xmlns="urn:other"><hello/></epp>`],
  ])("answer 2001 to %s, and the session continues", async (_, xml) => {
    expect((await asking.send(xml)).code).toBe("2001");
    expect((await asking.command("<poll op='req'/>")).code).toBe("1300");
  });

  it("accepts a limited number of names in a check", async () => {
    const names = Array.from({ length: 101 }, (_, at) => `<domain:name>n${String(at)}.com</domain:name>`);
    const asked = domainXml("check", "n.com").replace("<domain:name>n.com</domain:name>", names.join(""));
    expect((await asking.command(asked)).code).toBe("2306");
  });
});

describe("what the registry waits for, by a clock that a test moves", () => {
  async function withClock(
    greetingMs: number,
    use: (clock: ManualClock, served: ServedRegistry) => Promise<void>,
  ): Promise<void> {
    const clock = manualClock("2026-11-21T01:30:00.000000Z");
    const own = await ServedRegistry.start({ clock, greetingMs });
    try {
      await use(clock, own);
      expect(own.failures).toEqual([]);
    } finally {
      await own.close();
    }
  }

  /** Advances the clock until the connection is closed. @returns milliseconds advanced */
  async function closedAfter(clock: ManualClock, client: EppClient): Promise<number> {
    const beganMs = clock.monotonicMilliseconds();
    while (!client.socket.closed) {
      clock.advance(1_000);
      await yieldToOthers();
    }
    return clock.monotonicMilliseconds() - beganMs;
  }

  it("delays a greeting as configured", async () => {
    await withClock(5_000, async (clock, own) => {
      const client = await EppClient.connect(own.server.port);
      const greeted: string[] = [];
      const greeting = client.next().then(({ name }) => greeted.push(name));
      clock.advance(4_999);
      await yieldToOthers();
      expect(greeted).toEqual([]);
      while (greeted.length === 0) {
        clock.advance(1);
        await yieldToOthers();
      }
      await greeting;
      expect(greeted).toEqual(["epp"]);
      client.close();
    });
  });

  it("ends without a login, within a frame, or after a long silence", async () => {
    await withClock(0, async (clock, own) => {
      const stranger = await own.connect();
      expect(await closedAfter(clock, stranger)).toBeGreaterThanOrEqual(30_000);
      const slow = await own.login();
      const frame = encodeFrame(commandXml("<poll op='req'/>"));
      slow.socket.write(Buffer.concat([frame, frame.subarray(0, 7)]));
      await slow.next();
      const cutAfterMs = await closedAfter(clock, slow);
      expect(cutAfterMs).toBeGreaterThanOrEqual(30_000);
      // Closed earlier than an idle session.
      expect(cutAfterMs).toBeLessThan(600_000);
      const idle = await own.login();
      expect(await closedAfter(clock, idle)).toBeGreaterThanOrEqual(600_000);
    });
  });
});
