import { createServer } from "node:http";

import { listen } from "@hostledger/runtime/testing";

/** Properties of `CheckVatRequest` in VIES's published description (swagger_publicVAT.yaml, version 1.0.0): all are strings. */
const requestProperties: ReadonlySet<string> = new Set([
  "countryCode",
  "vatNumber",
  "requesterMemberStateCode",
  "requesterNumber",
  "traderName",
  "traderStreet",
  "traderPostalCode",
  "traderCity",
  "traderCompanyType",
]);

/** Codes of VIES's member states, as its `check-status` lists them; Greece is `EL`. */
const states = "AT BE BG CY CZ DE DK EE EL ES FI FR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK XI".split(
  " ",
);

/** The properties of `CheckVatRequest` that tests look at. */
export type ViesRequest = Readonly<
  Partial<
    Record<
      "countryCode" | "vatNumber" | "requesterMemberStateCode" | "requesterNumber" | "traderName",
      string
    >
  >
>;

/** An answer of the server in place of the usual one. */
export interface ViesReply {
  readonly status?: number;
  readonly type?: string;
  readonly body: unknown;
  /** True to cut the connection in place of an answer. */
  readonly isCut?: boolean;
}

export interface ViesServer {
  readonly url: URL;
  /** Bodies of the checks so far. */
  readonly checks: ViesRequest[];
  /** Differences between the requests and the published description. */
  readonly faults: string[];
  close(): void;
}

/** Returns VIES's words for an error. */
export const viesError = (error: string): ViesReply => ({
  body: { actionSucceed: false, errorWrappers: [{ error }] },
});

/** Starts a server that answers as VIES's published description says, and notes each request that does not obey it. */
export async function startVies(
  answer: (request: ViesRequest) => ViesReply | undefined = () => undefined,
): Promise<ViesServer> {
  const checks: ViesRequest[] = [];
  const faults: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const { status = 200, type = "application/json", body, isCut = false } = replyTo(text);
      if (isCut) request.socket.destroy();
      else
        response
          .writeHead(status, { "content-type": type })
          .end(typeof body === "string" ? body : JSON.stringify(body));
    });
    const replyTo = (text: string): ViesReply => {
      const asked = `${request.method ?? ""} ${request.url ?? ""}`;
      if (asked === "GET /vies/rest-api/check-status") return { body: status() };
      if (asked !== "POST /vies/rest-api/check-vat-number") {
        faults.push(`${asked} is not described`);
        return { status: 404, type: "text/html", body: "<html>Not found</html>" };
      }
      if (request.headers["content-type"] !== "application/json") faults.push("the body is not JSON");
      const check = requestOf(text, faults);
      checks.push(check);
      return answer(check) ?? { body: usualAnswer(check) };
    };
  });
  const port = await listen(server);
  return {
    url: new URL(`http://127.0.0.1:${String(port)}/vies/rest-api/`),
    checks,
    faults,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Reads a `CheckVatRequest`, and notes elements that the published description lacks. */
function requestOf(text: string, faults: string[]): ViesRequest {
  const body: unknown = JSON.parse(text);
  const entries = Object.entries(Object(body) as Record<string, unknown>).map(([name, value]) => {
    if (!requestProperties.has(name)) faults.push(`${name} is no property of CheckVatRequest`);
    if (typeof value !== "string") faults.push(`${name} is no string`);
    return [name, String(value)] as const;
  });
  const check: ViesRequest = Object.fromEntries(entries);
  if (!states.includes(check.countryCode ?? "")) faults.push("countryCode is no member state");
  if (!/^[0-9A-Z+*]{2,12}$/.test(check.vatNumber ?? "")) faults.push("vatNumber has another shape");
  if ((check.requesterNumber === undefined) !== (check.requesterMemberStateCode === undefined))
    faults.push("requesterMemberStateCode and requesterNumber belong together");
  return check;
}

/** Returns a `CheckVatResponse`. It has a request identifier only for a known requester, as the description says. */
function usualAnswer({ countryCode, vatNumber, requesterNumber, traderName = "" }: ViesRequest): unknown {
  return {
    countryCode,
    vatNumber,
    requestDate: "2026-11-29T10:00:00.000Z",
    valid: traderName !== "Unregistered BV",
    requestIdentifier: requesterNumber === undefined ? "" : "WAPIAAAAX1mmZ4Vq",
    name: "---",
    address: "---",
    traderName: "---",
    traderStreet: "---",
    traderPostalCode: "---",
    traderCity: "---",
    traderCompanyType: "---",
    traderNameMatch: "NOT_PROCESSED",
    traderStreetMatch: "NOT_PROCESSED",
    traderPostalCodeMatch: "NOT_PROCESSED",
    traderCityMatch: "NOT_PROCESSED",
    traderCompanyTypeMatch: "NOT_PROCESSED",
  };
}

function status(): unknown {
  const countries = states.map((countryCode) => ({
    countryCode,
    availability: countryCode === "IT" ? "Unavailable" : "Available",
  }));
  return { vow: { available: true }, countries };
}
