import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { conditionalWrites, tagAt, winners, type ConditionalWrite } from "../support/conditional-writes.ts";
import { openShop, type Shop } from "../support/shop.ts";

/** `If-Match` and `If-None-Match` on writes (RFC 9110 §13; contract, "Conventions"). */

let shop: Shop;
let writes: readonly ConditionalWrite[];

beforeAll(async () => {
  shop = await openShop();
  writes = await conditionalWrites(shop.owner, () => shop.provision());
});

afterAll(() => shop.close());

const names = ["a record set", "the account", "the notices", "a firewall", "a domain"];
const called = (name: string): ConditionalWrite => {
  const found = writes.find((one) => one.name === name);
  if (found === undefined) throw new Error(`nobody writes ${name}`);
  return found;
};
const failed = { status: 412, body: { status: false, code: "precondition_failed" } };

describe.each(names)("a write to %s", (name) => {
  it("answers 412 if its condition is false, and changes nothing", async () => {
    const { owner } = shop;
    const { path, write } = called(name);
    const before = await owner.get(path);
    const tag = before.headers.get("etag") ?? "none";
    for (const ifMatch of ['"other"', `W/${tag}`, `"a", "b"`, "junk", tag.slice(1, -1)])
      expect(await write(owner, { "If-Match": ifMatch }, 100)).toMatchObject(failed);
    for (const ifNoneMatch of ["*", tag, `W/${tag}`, `"other", ${tag}`])
      expect(await write(owner, { "If-None-Match": ifNoneMatch }, 100)).toMatchObject(failed);
    const after = await owner.get(path);
    expect(after.body).toEqual(before.body);
    expect(after.headers.get("etag")).toBe(tag);
  });

  it("succeeds once for several requests with the same tag, and the tag changes", async () => {
    const { owner } = shop;
    const { path, write } = called(name);
    const tag = await tagAt(owner, path);
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => write(owner, { "If-Match": `"other", ${tag}` }, n)),
    );
    expect(winners(answers)).toBe(1);
    const changed = await tagAt(owner, path);
    expect(changed).not.toBe(tag);
    expect(await write(owner, { "If-Match": tag }, 6)).toMatchObject(failed);
    expect((await write(owner, { "If-Match": "*", "If-None-Match": tag }, 7)).status).toBeLessThan(300);
  });
});

describe.each(names.slice(0, 4))("a write to %s under an Idempotency-Key", (name) => {
  it("answers a repetition like the first request, even if its condition has become false", async () => {
    const { owner } = shop;
    const { path, write } = called(name);
    const headers = {
      "If-Match": await tagAt(owner, path),
      "Idempotency-Key": `repeat-${name.replaceAll(" ", "-")}`,
    };
    const first = await write(owner, headers, 20);
    expect(first.status).toBeLessThan(300);
    await write(owner, {}, 21);
    const again = await write(owner, headers, 20);
    expect(again).toMatchObject({ status: first.status, body: first.body });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  });
});

describe("a record set that does not exist", () => {
  it("is created once with If-None-Match: *, and never with If-Match", async () => {
    const { owner } = shop;
    const path = called("a record set").path.replace("/www/A", "/new/TXT");
    const put = (n: number, headers: Readonly<Record<string, string>>) =>
      owner.put(path, { records: [{ value: `value ${String(n)}` }] }, headers);
    for (const ifMatch of ["*", '"other"'])
      expect(await put(0, { "If-Match": ifMatch })).toMatchObject(failed);
    const answers = await Promise.all([1, 2, 3, 4].map((n) => put(n, { "If-None-Match": "*" })));
    expect(winners(answers)).toBe(1);
  });
});

describe("a rule of a firewall", () => {
  it("is removed with the tag of the list from which it was read", async () => {
    const { owner } = shop;
    const { path, write } = called("a firewall");
    const { body } = await write(owner, {}, 40);
    const { pos } = (body as { rule: { pos: number } }).rule;
    const remove = (ifMatch: string) =>
      owner.send(`${path}/${String(pos)}`, { method: "DELETE", headers: { "If-Match": ifMatch } });
    const tag = await tagAt(owner, path);
    expect(await remove('"other"')).toMatchObject(failed);
    expect(winners(await Promise.all([remove(tag), remove(tag)]))).toBe(1);
  });
});

describe("every other write", () => {
  it("ignores If-Match and If-None-Match", async () => {
    const { owner } = shop;
    const domain = called("a domain").path;
    const headers = { "If-Match": '"other"', "If-None-Match": "*" };
    const answers = [
      await owner.put(`${domain}/settings`, { auto_renew: true }, headers),
      await owner.put(`${domain}/nameservers`, { use_rdp_nameservers: true }, headers),
      await owner.post(`${domain}/dns`, { type: "A", name: "a", value: "192.0.2.1" }, headers),
      await owner.post("/tickets", { title: "A question", message: "How?" }, headers),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 201]);
  });

  it("answers 404 or 403 before it checks a condition", async () => {
    const { stranger } = shop;
    const headers = { "If-Match": '"other"' };
    expect((await stranger.send("/domains/999999", { method: "DELETE", headers })).status).toBe(404);
    expect((await stranger.send(called("a domain").path, { method: "DELETE", headers })).status).toBe(403);
  });
});
