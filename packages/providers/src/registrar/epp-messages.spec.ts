import { expect, it } from "vitest";

import { EppClient, namespaces, parseXml, readResponse, type Asked } from "../epp/index.ts";
import { ours } from "./epp-replicas.fixture.ts";
import { EppRegistrar } from "./epp-registrar.adapter.ts";
import { generic } from "./registries.ts";

const greeting = { serverId: "said", versions: [], languages: [], objects: [], extensions: [] };

class SayingClient extends EppClient {
  readonly #xml: string;

  constructor(xml: string) {
    const server = { host: "127.0.0.1", port: 1 };
    super({ server, user: "us", password: "password", sessions: 1, timeLimitMs: 1 });
    this.#xml = xml;
  }

  override ask(): Promise<Asked> {
    return Promise.resolve({ kind: "answered", response: readResponse(parseXml(this.#xml)), greeting });
  }
}

const said = (code: number, queue: string, data = "") =>
  new EppRegistrar({
    name: "Registry",
    clientId: "us",
    installation: () => Promise.resolve(ours),
    secret: "secret",
    registry: generic,
    client: new SayingClient(
      `<epp xmlns="${namespaces.epp}"><response><result code="${String(code)}"><msg>Said</msg></result>` +
        `${queue}${data === "" ? "" : `<resData>${data}</resData>`}<trID><svTRID>1</svTRID></trID></response></epp>`,
    ),
  });

const queued = (id: string, words = "Something happened.") =>
  `<msgQ count="3" id="${id}"><qDate>2026-11-23T10:00:00Z</qDate><msg>${words}</msg></msgQ>`;
const trnData = (inner: string) =>
  `<d:trnData xmlns:d="${namespaces.domain}"><d:name>Example.COM</d:name>${inner}</d:trnData>`;
const polled = 'xmlns:x="http://www.verisign.com/epp/rgp-poll-1.0"';

it.each([
  ["nothing at all", "", { about: "other", name: undefined }],
  ["a transfer without its state", trnData("<d:acID>us</d:acID>"), { about: "name", name: "example.com" }],
  ["a transfer that is others' affair", trnData("<d:reID>them</d:reID>"), { about: "name" }],
  ["a transfer to us", trnData("<d:reID>us</d:reID>"), { about: "transfer-to-us" }],
  ["a name of 300 letters", trnData("").replace("Example", "a".repeat(300)), { about: "other" }],
  ["an empty name", trnData("").replace("Example.COM", ""), { about: "other", name: undefined }],
  [
    "a host",
    `<h:infData xmlns:h="${namespaces.host}"><h:name>ns1.example</h:name></h:infData>`,
    { about: "other" },
  ],
  [
    "an extension's name",
    `<x:pollData ${polled}><x:name>example.com</x:name></x:pollData>`,
    { about: "name" },
  ],
])("a message about %s is read", async (_, data, subject) => {
  const answer = await said(1301, queued("12345"), data).messages();
  const message = { registrar: "Registry", id: "12345", words: "Something happened.", ...subject };
  expect(answer).toMatchObject({ outcome: "done", value: [message] });
});

it("stores the first 300 characters of a registry's text", async () => {
  const answer = await said(1301, queued("1", "a".repeat(10_000))).messages();
  expect(answer).toMatchObject({ outcome: "done", value: [{ words: "a".repeat(300) }] });
});

it.each([
  ["without an id", queued("")],
  ["with an id of 10,000 characters", queued("1".repeat(10_000))],
  ["without a queue", ""],
])("a message %s is not known, and is no message", async (_, queue) => {
  expect(await said(1301, queue).messages()).toMatchObject({ outcome: "unknown" });
});

it("an empty queue has none, and a registry's refusal is reported", async () => {
  expect(await said(1300, "").messages()).toEqual({ outcome: "done", value: [] });
  expect(await said(2101, "").messages()).toMatchObject({ outcome: "refused" });
  expect(await said(2303, "").acknowledge({ id: "1" })).toMatchObject({ outcome: "done" });
  expect(await said(2400, "").acknowledge({ id: "1" })).toMatchObject({ outcome: "refused" });
});
