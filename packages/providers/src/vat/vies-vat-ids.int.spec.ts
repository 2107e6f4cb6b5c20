import { afterEach, describe, expect, it } from "vitest";

import { describeVatIdsContract } from "../contract/vat-ids.contract.ts";
import {
  startVies,
  viesError,
  type ViesReply,
  type ViesRequest,
  type ViesServer,
} from "./vies-server.fixture.ts";
import { ViesVatIds } from "./vies-vat-ids.adapter.ts";

const timeLimitMs = 60_000;
const question = { name: "Registered BV", askedBy: "DE123456788" };
const vatId = "NL004495445B01";

let server: ViesServer | undefined;
afterEach(() => {
  server?.close();
});

async function answeredBy(answer?: (request: ViesRequest) => ViesReply | undefined) {
  server = await startVies(answer);
  return { server, vies: new ViesVatIds({ url: server.url, timeLimitMs }) };
}

describeVatIdsContract("VIES", async () => {
  const vies = await startVies(({ traderName }) =>
    traderName === "Unreachable BV" ? viesError("MS_UNAVAILABLE") : undefined,
  );
  return {
    vatIds: new ViesVatIds({ url: vies.url, timeLimitMs }),
    unregistered: "Unregistered BV",
    unreachable: "Unreachable BV",
    close() {
      vies.close();
      expect(vies.faults).toEqual([]);
    },
  };
});

describe("a question to VIES", () => {
  it.each<[string, string, object]>([
    [
      "NL004495445B01",
      "DE123456788",
      {
        countryCode: "NL",
        vatNumber: "004495445B01",
        requesterMemberStateCode: "DE",
        requesterNumber: "123456788",
        traderName: "Registered BV",
      },
    ],
    [
      "GR094259216",
      "EL094259216",
      {
        countryCode: "EL",
        vatNumber: "094259216",
        requesterMemberStateCode: "EL",
        requesterNumber: "094259216",
        traderName: "Registered BV",
      },
    ],
    ["FR40303265045", "", { countryCode: "FR", vatNumber: "40303265045", traderName: "Registered BV" }],
  ])("about %s by %j obeys the published description", async (asked, askedBy, expected) => {
    const { server: vies, vies: vatIds } = await answeredBy();
    await vatIds.check(asked, { ...question, askedBy });
    expect(vies.checks).toEqual([expected]);
    expect(vies.faults).toEqual([]);
  });

  it("is not sent about a VAT id from outside the Union", async () => {
    const { server: vies, vies: vatIds } = await answeredBy();
    await vatIds.check("CHE107787577", question);
    expect(vies.checks).toEqual([]);
  });
});

describe("an answer of VIES", () => {
  const valid = { countryCode: "NL", vatNumber: "004495445B01", valid: true, requestIdentifier: "WAPI1" };
  const outage = { outcome: "unknown" };
  const refusal = { outcome: "refused", reason: "rejected" };

  it.each<[string, ViesReply, object]>([
    [
      "that the VAT id is valid",
      { body: valid },
      { outcome: "done", value: { isValid: true, consultationNumber: "WAPI1" } },
    ],
    [
      "without optional properties",
      { body: { valid: true } },
      { outcome: "done", value: { isValid: true, consultationNumber: "" } },
    ],
    ["that it is not", { body: { ...valid, valid: false } }, { outcome: "done", value: { isValid: false } }],
    [
      "that no number has this shape",
      viesError("INVALID_INPUT"),
      { outcome: "done", value: { isValid: false } },
    ],
    ["that the state's register is absent", viesError("MS_UNAVAILABLE"), outage],
    ["that there was no time", viesError("TIMEOUT"), outage],
    ["that there are too many questions", viesError("GLOBAL_MAX_CONCURRENT_REQ"), outage],
    ["that this state has too many", viesError("MS_MAX_CONCURRENT_REQ"), outage],
    ["with an error that is new", viesError("A\u0007NEW\nONE".repeat(100)), outage],
    ["with an error and another status", { ...viesError("SERVICE_UNAVAILABLE"), status: 500 }, outage],
    [
      "that is an outage beside valid: false",
      { body: { ...valid, valid: false, userError: "MS_UNAVAILABLE" } },
      outage,
    ],
    [
      "that the seller's VAT id is unknown",
      viesError("INVALID_REQUESTER_INFO"),
      { ...refusal, message: expect.stringContaining("INVALID_REQUESTER_INFO") },
    ],
    ["that the seller is blocked", viesError("VAT_BLOCKED"), refusal],
    ["that this address is blocked", viesError("IP_BLOCKED"), refusal],
    ["about another number", { body: { ...valid, vatNumber: "000099998B57" } }, outage],
    ["about another state", { body: { ...valid, countryCode: "DE" } }, outage],
    ["that is a page", { type: "text/html", body: "<html>Maintenance</html>" }, outage],
    ["that is a page with another status", { status: 503, type: "text/html", body: "<html/>" }, outage],
    ["without the word valid", { body: { countryCode: "NL" } }, outage],
    ["with a consultation number of a line", { body: { ...valid, requestIdentifier: "A\nB" } }, outage],
    [
      "with a consultation number without end",
      { body: { ...valid, requestIdentifier: "A".repeat(51) } },
      outage,
    ],
    ["that ends early", { body: '{"valid": tr' }, outage],
    ["that breaks off", { body: "", isCut: true }, outage],
  ])("%s is classified correctly", async (_what, reply, expected) => {
    const { vies } = await answeredBy(() => reply);
    const outcome = await vies.check(vatId, question);
    expect(outcome).toMatchObject(expected);
    if ("message" in outcome) expect(outcome.message).toMatch(/^[\x20-\x7e…’]{1,300}$/);
  });

  it("cannot come from a closed port", async () => {
    const { server: vies } = await answeredBy();
    const closed = new ViesVatIds({ url: vies.url, timeLimitMs });
    vies.close();
    expect(await closed.check(vatId, question)).toMatchObject({ outcome: "refused", reason: "unreachable" });
  });
});

describe("the check of VIES", () => {
  it("reports that it answers, and which states do not", async () => {
    const { vies } = await answeredBy();
    expect(await vies.findings()).toEqual([
      { isRight: true, sentence: "VIES answers." },
      { isRight: true, sentence: "At present these states do not: IT." },
    ]);
  });

  it("reports what is wrong with the address", async () => {
    const { server: vies } = await answeredBy();
    const elsewhere = new ViesVatIds({ url: new URL("/elsewhere", vies.url), timeLimitMs });
    expect(await elsewhere.findings()).toEqual([
      { isRight: false, sentence: "VIES's address answers 404 without an answer of VIES." },
    ]);
  });
});
