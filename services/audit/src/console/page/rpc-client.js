// @ts-check
/** Connect over JSON, as far as the console needs it. */

const service = "/audit/rpc/hosting.audit.v1.AuditService/";

/** Without a credential the browser's session speaks. @param {string} credential @returns {Record<string, string>} */
const headers = (credential) => ({
  ...(credential === "" ? {} : { authorization: `Bearer ${credential}` }),
  "connect-protocol-version": "1",
});

/** The service refused a call. */
export class RefusedCall extends Error {
  /** @param {string} message @param {string} code of Connect */
  constructor(message, code) {
    super(message);
    /** What the caller asked for does not exist, or has no such form. */
    this.isAboutRequest = ["invalid_argument", "not_found", "out_of_range"].includes(code);
  }
}

/** @param {Response} response */
async function failure(response) {
  const { message, code = "" } = await response.json().catch(() => ({}));
  return new RefusedCall(message ?? `The service answered with status ${response.status}.`, code);
}

/** @param {string} credential @param {string} method @param {object} request @returns {Promise<any>} */
export async function call(credential, method, request) {
  const response = await fetch(service + method, {
    method: "POST",
    headers: { ...headers(credential), "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  if (!response.ok) throw await failure(response);
  return response.json();
}

/**
 * All messages of a server stream. Each stands in an envelope: a byte of flags (2: the end, with an error or none), and
 * the length in four bytes.
 * @param {string} credential @param {string} method @param {object} request @returns {Promise<any[]>}
 */
export async function callStream(credential, method, request) {
  const body = new TextEncoder().encode(JSON.stringify(request));
  const envelope = new Uint8Array(5 + body.length);
  new DataView(envelope.buffer).setUint32(1, body.length);
  envelope.set(body, 5);
  const response = await fetch(service + method, {
    method: "POST",
    headers: { ...headers(credential), "content-type": "application/connect+json" },
    body: envelope,
  });
  if (!response.ok) throw await failure(response);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const view = new DataView(bytes.buffer);
  const messages = [];
  for (let at = 0; at + 5 <= bytes.length;) {
    const length = view.getUint32(at + 1);
    const message = JSON.parse(new TextDecoder().decode(bytes.subarray(at + 5, at + 5 + length)));
    if ((view.getUint8(at) & 2) !== 0) {
      if (message.error !== undefined) throw new Error(message.error.message ?? message.error.code);
      return messages;
    }
    messages.push(message);
    at += 5 + length;
  }
  throw new Error("The answer was cut off.");
}
