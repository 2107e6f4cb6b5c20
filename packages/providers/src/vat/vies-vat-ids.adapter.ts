import { asLine, isVatIdOfUnion } from "@hostledger/core";
import { z } from "zod";

import { askOverHttp, parsedJson, type HttpRequest } from "../ask-over-http.ts";
import { right, wrong, type ProviderFinding } from "../check/provider-check.ts";
import { done, refused, unknown, type Outcome } from "../outcome.ts";
import type { VatIdAnswer, VatIdQuestion, VatIdRegister } from "./vat-ids.port.ts";

export interface ViesOptions {
  /** URL of the REST API. */
  readonly url: URL;
  /** Time limit of an answer, in milliseconds. */
  readonly timeLimitMs: number;
}

/** Maximum characters quoted from VIES. */
const longestWords = 200;

/** `CheckVatResponse` of the published description, and the error that VIES puts beside it in practice. */
const checkAnswer = z.object({
  countryCode: z.string().optional(),
  vatNumber: z.string().optional(),
  valid: z.boolean(),
  requestIdentifier: z
    .string()
    .regex(/^[\x21-\x7e]{0,50}$/)
    .nullish(),
  userError: z.string().nullish(),
});

/** `CommonResponse` of the published description. */
const failureAnswer = z.object({
  errorWrappers: z.tuple([z.object({ error: z.string() })], z.unknown()),
});

/** `StatusInformationResponse` of the published description. */
const statusAnswer = z.object({
  vow: z.object({ available: z.boolean() }),
  countries: z.array(z.object({ countryCode: z.string(), availability: z.string() })),
});

/** Words that may stand in `userError` of an answer that is no error. */
const noErrors: ReadonlySet<string> = new Set(["", "VALID", "INVALID"]);

/**
 * Register of VAT ids that asks VIES, the VAT information exchange system of the European Commission, over its REST API
 * (https://ec.europa.eu/assets/taxud/vow-information/swagger_publicVAT.yaml, version 1.0.0).
 */
export class ViesVatIds implements VatIdRegister {
  readonly #options: ViesOptions;

  constructor(options: ViesOptions) {
    this.#options = options;
  }

  async check(vatId: string, { name, askedBy }: VatIdQuestion): Promise<Outcome<VatIdAnswer>> {
    if (!isVatIdOfUnion(vatId))
      return refused("rejected", `VIES has no VAT ids that begin with ${vatId.slice(0, 2)}.`);
    const [countryCode, vatNumber] = partsOf(vatId);
    const [requesterMemberStateCode, requesterNumber] = partsOf(askedBy);
    const body = {
      countryCode,
      vatNumber,
      // VIES gives a consultation number only if both are there.
      ...(isVatIdOfUnion(askedBy) && { requesterMemberStateCode, requesterNumber }),
      ...(name !== "" && { traderName: name }),
    };
    const answer = await this.#ask("POST", "/check-vat-number", body);
    if (answer.outcome !== "done") return answer;
    const failure = failureAnswer.safeParse(answer.value);
    if (failure.success) return failureOf(failure.data.errorWrappers[0].error);
    const parsed = checkAnswer.safeParse(answer.value);
    if (!parsed.success) return unknown("VIES answered something that its description does not have.");
    const { valid, requestIdentifier, userError, ...about } = parsed.data;
    if (!noErrors.has(userError ?? "")) return failureOf(userError ?? "");
    if ((about.countryCode ?? countryCode) !== countryCode || (about.vatNumber ?? vatNumber) !== vatNumber)
      return unknown("VIES answered about another VAT id.");
    return done({ isValid: valid, consultationNumber: requestIdentifier ?? "" });
  }

  /** Checks that VIES answers, and names the member states whose registers do not answer. */
  async findings(): Promise<readonly ProviderFinding[]> {
    const answer = await this.#ask("GET", "/check-status");
    if (answer.outcome !== "done") return [wrong(answer.message)];
    const status = statusAnswer.safeParse(answer.value);
    if (!status.success) return [wrong("HOSTLEDGER_VIES_URL answers, but not as VIES does.")];
    if (!status.data.vow.available) return [wrong("VIES says that it is not available at present.")];
    const absent = status.data.countries
      .filter(({ availability }) => availability === "Unavailable")
      .map(({ countryCode }) => asLine(countryCode, 2, "?"));
    return [
      right("VIES answers."),
      ...(absent.length === 0 ? [] : [right(`At present these states do not: ${absent.join(", ")}.`)]),
    ];
  }

  /** @returns the JSON of an answer, also of an error. */
  async #ask(method: HttpRequest["method"], path: string, body?: unknown): Promise<Outcome<unknown>> {
    const { url, timeLimitMs } = this.#options;
    const answer = await askOverHttp({
      method,
      url: new URL(url.href.replace(/\/+$/, "") + path),
      headers: { accept: "application/json" },
      body,
      timeLimitMs,
    });
    if (answer.kind === "unreachable") return refused("unreachable", answer.message);
    if (answer.kind === "lost") return unknown(answer.message);
    const json = answer.mediaType === "application/json" ? parsedJson(answer.text) : undefined;
    if (answer.status === 200 && json !== undefined) return done(json);
    if (failureAnswer.safeParse(json).success) return done(json);
    return unknown(`VIES's address answers ${String(answer.status)} without an answer of VIES.`);
  }
}

/** Converts an error of VIES (technical information, "Error codes"). Every other error is an outage. */
function failureOf(error: string): Outcome<VatIdAnswer> {
  switch (error) {
    // The member state knows no number of this shape.
    case "INVALID_INPUT":
      return done({ isValid: false, consultationNumber: "" });
    case "INVALID_REQUESTER_INFO":
      return refused("rejected", "VIES does not know the seller's own VAT id (INVALID_REQUESTER_INFO).");
    case "VAT_BLOCKED":
      return refused("rejected", "VIES has blocked the seller's VAT id (VAT_BLOCKED).");
    case "IP_BLOCKED":
      return refused("rejected", "VIES has blocked this address (IP_BLOCKED).");
    default:
      return unknown(`VIES has no answer at present (${asLine(error, longestWords, "no reason")}).`);
  }
}

/** Splits a VAT id into VIES's country code and number. */
function partsOf(vatId: string): readonly [string, string] {
  const prefix = vatId.slice(0, 2);
  return [prefix === "GR" ? "EL" : prefix, vatId.slice(2)];
}
