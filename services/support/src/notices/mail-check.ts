import { transportOptions, type MailSettings } from "./mail-transport.ts";

export interface MailServerFinding {
  readonly isRight: boolean;
  /** Sentence for the operator: the fault and what to change, without secrets. */
  readonly sentence: string;
}

/** Connects as for a mail: TLS, certificate and login. Nothing is sent. Never throws. */
export async function checkMailServer(
  settings: Pick<MailSettings, "url" | "ca">,
): Promise<MailServerFinding> {
  const options = transportOptions(settings);
  const { host, port, secure, requireTLS } = options;
  const address = `${host.includes(":") ? `[${host}]` : host}:${String(port)}`;
  // Imported on first use, because most processes send no mail.
  const { createTransport } = await import("nodemailer");
  // A login that the server does not ask for would not be tried.
  const transport = createTransport({ ...options, forceAuth: "auth" in options });
  try {
    await transport.verify();
    const protection = secure || requireTLS ? "under TLS" : "on this machine";
    const login = "auth" in options ? "It takes the login." : "HOSTLEDGER_SMTP_URL has no login.";
    return { isRight: true, sentence: `The mail server answers at ${address}, ${protection}. ${login}` };
  } catch (error) {
    return { isRight: false, sentence: mistakeOf(error, address) };
  } finally {
    transport.close();
  }
}

/** Faults of certificates, by OpenSSL's and Node's codes. */
const certificateMistakes: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: "is for another name",
  CERT_HAS_EXPIRED: "has expired",
  CERT_NOT_YET_VALID: "is not valid yet",
};

function mistakeOf(error: unknown, address: string): string {
  const { code, originalCode, responseCode } = detailsOf(error);
  const why = originalCode ?? (responseCode === undefined ? code : String(responseCode));
  const mistake = certificateMistakes[why];
  if (mistake !== undefined) return `The certificate of the mail server at ${address} ${mistake}.`;
  if (/^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/.test(why))
    return `Nobody who is trusted vouches for the certificate of the mail server at ${address} (${why}): HOSTLEDGER_SMTP_CA names the authority's file.`;
  if (why.startsWith("ERR_SSL"))
    return `The mail server at ${address} does not begin with TLS (${why}): if it uses STARTTLS, begin the address with smtp://.`;
  switch (code) {
    case "EDNS":
      return `The name of the mail server at ${address} could not be looked up (${why}).`;
    case "ETIMEDOUT":
      return `The mail server at ${address} did not answer in time: where it begins with TLS, the address is smtps://.`;
    case "ETLS":
      return `The mail server at ${address} refused STARTTLS (${why}), without which nothing is sent to another machine.`;
    case "EAUTH":
      return `The mail server at ${address} refused the login of HOSTLEDGER_SMTP_URL (${why}).`;
    default:
      return `The mail server at ${address} could not be spoken to (${why}).`;
  }
}

function detailsOf(error: unknown) {
  const of = (name: string): unknown =>
    error instanceof Error ? new Map<string, unknown>(Object.entries(error)).get(name) : undefined;
  const [code, originalCode, responseCode] = [of("code"), of("originalCode"), of("responseCode")];
  return {
    code: typeof code === "string" ? code : "unknown",
    originalCode: typeof originalCode === "string" ? originalCode : undefined,
    responseCode: typeof responseCode === "number" ? responseCode : undefined,
  };
}
