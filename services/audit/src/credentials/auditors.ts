import { auditorAggregate, asLine, rejection, type AuditorGrant, type Credential } from "@hostledger/core";
import { Credentials, type CommandHandler } from "@hostledger/store";
import { rejectionError, type AuditorCaller, type Identify, type StaffCaller } from "@hostledger/rpc";
import { defined, type Clock, type Ids } from "@hostledger/runtime";

import type { SignIn } from "../sign-in/sign-in.ts";
import { readAuditorCredential } from "./auditor-credential.ts";

export interface AuditorUse {
  /** The called method, for example `GetStatement`. */
  readonly method: string;
  /** The subject of the call, for example `account 7`. */
  readonly subject: string;
  /** True for calls that a follower repeats: only the first use of a UTC day is recorded. */
  readonly isOncePerDay?: boolean;
  /** Id of the request, for the metadata of the event. */
  readonly requestId?: string;
}

export interface Auditors {
  /**
   * Finds the auditor or member of staff by the `Authorization` header, without recording a use.
   * @throws ConnectError `unauthenticated` with a sentence that names the problem.
   */
  identify(authorization: string | undefined): Promise<AuditorCaller | StaffCaller>;
  /**
   * Finds the caller and records an auditor's use before the answer, for routes that are no RPC.
   * @throws ConnectError `unauthenticated`; `overloaded` if the use could not be recorded.
   */
  admit(authorization: string | undefined, use: AuditorUse): Promise<AuditorCaller | StaffCaller>;
  /** Records a use of a credential that `identify` accepted. @throws ConnectError as `admit`. */
  record(auditor: AuditorCaller, use: AuditorUse): Promise<void>;
  /** Checks the credential again during a long read. @throws ConnectError `unauthenticated` */
  recheck(auditor: AuditorCaller): Promise<void>;
}

export interface AuditorDependencies {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Identifies members of staff, who may read auditors' uses; default: nobody. */
  readonly staff?: Identify<StaffCaller> | undefined;
  /** Finds the caller of a console session; default: nobody. */
  readonly signIn?: Pick<SignIn, "callerOf"> | undefined;
}

/** Longest accepted header, in characters: a credential is far shorter. */
const maximumHeaderLength = 512;
const maximumSubjectLength = 200;

/** Prefix of a staff token in the header. */
const staffToken = "Bearer hls_";

const sessionScheme = "Session ";

/** Returns the `Authorization` value that replaces a browser's session cookie. */
export function sessionAuthorization(sessionId: string): string {
  return `${sessionScheme}${sessionId}`;
}

export function createAuditors({ commands, clock, ids, staff, signIn }: AuditorDependencies): Auditors {
  const aggregate = auditorAggregate;
  const credentials = new Credentials({ commands, clock, ids, aggregate, refuse: rejectionError });
  const check = async (credentialId: number, hash?: string): Promise<Credential<AuditorGrant>> =>
    credentials.checked(await credentials.named(String(credentialId)), hash);
  const auditors: Auditors = {
    async identify(authorization) {
      if (staff !== undefined && authorization?.startsWith(staffToken) === true) return staff(authorization);
      if (signIn !== undefined && authorization?.startsWith(sessionScheme) === true)
        return signIn.callerOf(authorization.slice(sessionScheme.length));
      const { credentialId, hash } = shownCredential(authorization);
      await check(credentialId, hash);
      return { kind: "auditor", credentialId };
    },
    async admit(authorization, use) {
      const caller = await auditors.identify(authorization);
      if (caller.kind === "auditor") await auditors.record(caller, use);
      return caller;
    },
    async record({ credentialId }, { method, subject, isOncePerDay, requestId }) {
      const use = {
        method,
        subject: asLine(subject, maximumSubjectLength, "-"),
        ...defined({ isOncePerDay }),
      };
      await credentials.use(await check(credentialId), use, {
        actor: `auditor:${String(credentialId)}`,
        ...defined({ requestId, correlationId: requestId }),
      });
    },
    async recheck({ credentialId }) {
      await check(credentialId);
    },
  };
  return auditors;
}

/** @throws ConnectError `unauthenticated` if the header has no possible credential. */
function shownCredential(authorization: string | undefined): {
  readonly credentialId: number;
  readonly hash: string;
} {
  if (authorization === undefined || authorization.trim() === "")
    throw refusal(
      "An auditor credential is needed, as `Authorization: Bearer hla_…`: staff make one with `hostledger admin auditor issue`.",
    );
  if (authorization.length > maximumHeaderLength) throw refusal(foreignCredential);
  const [, token = ""] = /^(?:Bearer\s+)?(\S+)\s*$/iu.exec(authorization) ?? [];
  // Customers send their key with or without a scheme; both get this answer.
  if (token.startsWith("hlk_"))
    throw refusal("The audit does not accept a customer's API key: send an auditor credential.");
  const credential = /^Bearer\s/iu.test(authorization) ? readAuditorCredential(token) : undefined;
  if (credential === undefined)
    throw refusal(token.startsWith("hla_") ? mistypedCredential : foreignCredential);
  return credential;
}

const mistypedCredential =
  "The auditor credential is mistyped or cut short: copy all of it, and send it as `Authorization: Bearer hla_…`.";

const foreignCredential =
  "This is neither an auditor credential (hla_…, from `hostledger admin auditor issue`) nor a person's staff token " +
  "(hls_…, from `hostledger admin staff add`): the audit takes these two. The token of admin.token is for staff commands.";

function refusal(sentence: string): Error {
  return rejectionError(rejection("unauthenticated", sentence));
}
