import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { yieldToOthers } from "../async/event-loop.ts";
import { within } from "../async/limits.ts";
import { startPostgresServer, type PostgresServer } from "../testing/postgres-server.ts";
import { startTcpProxy, type TcpProxy } from "../testing/tcp-proxy.ts";
import { cannotBeAsked } from "./failed-queries.ts";
import { PostgresSession } from "./postgres-session.ts";
import { PostgresSessions } from "./postgres-sessions.ts";

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgresServer();
});

afterAll(() => server.stop());

/** Query for the id of the server process. */
const who = "select pg_backend_pid() as pid";

async function pidOf(session: Pick<PostgresSession, "query">, seconds = 0): Promise<unknown> {
  const text = seconds === 0 ? who : `${who}, pg_sleep(${String(seconds)})`;
  return (await session.query<{ pid: number }>({ text })).rows[0]?.pid;
}

function sessions(most: number): PostgresSessions {
  const made = new PostgresSessions({ connectionString: server.url }, most);
  onTestFinished(() => made.close());
  return made;
}

function session(): PostgresSession {
  const made = new PostgresSession({ connectionString: server.url });
  onTestFinished(() => made.close());
  return made;
}

describe("a session", () => {
  it("answers in order, and continues after a failed statement", async () => {
    const asked = session();
    const answers = ["select 1 as n", "select 1 / 0", "select 2 as n"].map((text) => asked.query({ text }));
    expect(asked.unanswered).toBe(3);
    const settled = await Promise.allSettled(answers);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(asked.unanswered).toBe(0);
  });

  it("is replaced after its end, and unanswered statements fail as temporary", async () => {
    const [asked, admin] = [session(), session()];
    const before = await pidOf(asked);
    const { current, ended } = asked;
    const unanswered = pidOf(asked, 600).catch((error: unknown) => error);
    await admin.query({ text: "select pg_terminate_backend($1)", values: [before] });
    expect(cannotBeAsked(await unanswered)).toBe(true);
    await expect.poll(() => ended.aborted).toBe(true);
    const after = await pidOf(asked);
    expect(after).not.toBe(before);
    expect(asked.current).not.toBe(current);
    expect(asked.ended.aborted).toBe(false);
  });

  it("refuses more if the server leaves very many unanswered", async () => {
    const asked = session();
    const first = pidOf(asked, 600).catch(() => "ended");
    const others = Array.from({ length: 1_999 }, () => pidOf(asked).catch(() => "ended"));
    const refused: unknown = await pidOf(asked).catch((error: unknown) => error);
    expect(String(refused)).toContain("PostgreSQL has left 2000 statements unanswered");
    expect(cannotBeAsked(refused)).toBe(true);
    const admin = session();
    const text =
      "select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(600)' and pid <> pg_backend_pid()";
    // The session may exist before another has sent a query.
    await expect.poll(async () => (await admin.query({ text })).rows.length).toBe(1);
    expect(await first).toBe("ended");
    await Promise.all(others);
    expect(await pidOf(asked)).toEqual(expect.any(Number));
  });

  it("that cannot be made is tried again with the next statement", async () => {
    const asked = session();
    await server.crash();
    expect(cannotBeAsked(await pidOf(asked).catch((error: unknown) => error))).toBe(true);
    expect(asked.current).toBeUndefined();
    await server.start();
    expect(await pidOf(asked)).toEqual(expect.any(Number));
  });
});

describe("a session whose server vanishes without a word", () => {
  const silenceMs = 100;

  async function sessionThroughProxy(): Promise<{ asked: PostgresSession; proxy: TcpProxy }> {
    const url = new URL(server.url);
    const proxy = await startTcpProxy(Number(url.port));
    onTestFinished(() => proxy.close());
    url.port = String(proxy.port);
    const asked = new PostgresSession(
      { connectionString: url.href, connectionTimeoutMillis: 200 },
      silenceMs,
    );
    return { asked, proxy };
  }

  it("ends once another one answers in its place, and unanswered statements fail as temporary", async () => {
    const { asked, proxy } = await sessionThroughProxy();
    const before = await pidOf(asked);
    const { ended } = asked;
    proxy.abandon();
    const unanswered = await Promise.allSettled([pidOf(asked), pidOf(asked)]);
    for (const each of unanswered)
      expect(each.status === "rejected" && cannotBeAsked(each.reason)).toBe(true);
    expect(ended.aborted).toBe(true);
    expect(await pidOf(asked)).not.toBe(before);
    await asked.close();
  });

  it("is awaited while no server answers there", async () => {
    const { asked, proxy } = await sessionThroughProxy();
    const before = await pidOf(asked);
    proxy.freeze();
    const unanswered = pidOf(asked);
    expect(await within(10 * silenceMs, unanswered, () => "waits")).toBe("waits");
    proxy.thaw();
    expect(await unanswered).toBe(before);
    await asked.close();
  });

  it("is distinguished from a slow one, and from one that waits for others", async () => {
    const { asked } = await sessionThroughProxy();
    const before = await pidOf(asked);
    expect(await pidOf(asked, 10 * (silenceMs / 1_000))).toBe(before);
    const other = session();
    await other.query({ text: "select pg_advisory_lock(77)" });
    const waiting = asked.query({ text: "select pg_advisory_lock(77)" });
    expect(await within(10 * silenceMs, waiting, () => "waits")).toBe("waits");
    await other.close();
    await waiting;
    expect(await pidOf(asked)).toBe(before);
    await asked.close();
  });
});

describe("several sessions", () => {
  it("share the statements of one turn, and one is enough for sequential statements", async () => {
    const asked = sessions(3);
    const ofTurn = await Promise.all([pidOf(asked), pidOf(asked), pidOf(asked)]);
    await yieldToOthers();
    expect(new Set([...ofTurn, await pidOf(asked)]).size).toBe(1);
  });

  it("answer nothing once they are closed", async () => {
    const asked = sessions(3);
    await pidOf(asked);
    await asked.close();
    const refused: unknown = await pidOf(asked).catch((error: unknown) => error);
    expect(String(refused)).toContain("the sessions with PostgreSQL are closed");
    expect(cannotBeAsked(refused)).toBe(true);
  });

  it("do not wait for a slow answer, as long as another session is free", async () => {
    const asked = sessions(2);
    const order: string[] = [];
    const slow = pidOf(asked, 0.5).then((pid) => {
      order.push("slow");
      return pid;
    });
    await yieldToOthers();
    const quick = await pidOf(asked);
    order.push("quick");
    expect(await slow).not.toBe(quick);
    expect(order).toEqual(["quick", "slow"]);
  });
});
