import {
  credentialNamed,
  credentialOf,
  credentialRefusal,
  type Credential,
  type CredentialCommand,
  type CredentialKind,
  type CredentialsState,
  type CredentialUse,
  type DomainEvent,
  type Rejection,
  type WantedCredential,
} from "@hostledger/core";
import type { Clock, Ids } from "@hostledger/runtime";

import type { Aggregate, CommandHandler, Executed } from "./command-handler.port.ts";
import type { CommandContext } from "./event-metadata.ts";

export interface CredentialsOptions<Grant, Event extends DomainEvent> {
  readonly commands: Pick<CommandHandler, "execute" | "load">;
  readonly clock: Pick<Clock, "now">;
  readonly ids: Pick<Ids, "uuid">;
  readonly aggregate: Aggregate<CredentialCommand<Grant>, CredentialsState<Grant>, Event> & {
    readonly kind: CredentialKind<Grant, Event>;
  };
  readonly refuse: (refusal: Rejection) => Error;
}

/** `correlationId` by default: the command's id. */
type Context = Omit<CommandContext, "commandId" | "correlationId"> & { readonly correlationId?: string };
type Done<Grant, Event> = Extract<Executed<CredentialsState<Grant>, Event>, { readonly accepted: true }>;

/**
 * Credentials of one kind. Each question reads the events, so that a revocation holds at once in every process over the
 * store, and nobody is let in if the events cannot be read.
 */
export class Credentials<Grant extends object, Event extends DomainEvent> {
  readonly #options: CredentialsOptions<Grant, Event>;

  constructor(options: CredentialsOptions<Grant, Event>) {
    this.#options = options;
  }

  /** Issues a credential. @throws the refusal's error */
  issue(wanted: WantedCredential<Grant>, context: Context): Promise<Done<Grant, Event>> {
    const data = { wanted, at: this.#options.clock.now() };
    return this.#execute(wanted.name, { type: "IssueCredential", data }, context);
  }

  /** Records the use of a credential. @throws the refusal's error, also if the credential is no longer valid */
  use(
    { name, credentialHash }: Credential<Grant>,
    use: CredentialUse & { readonly isOncePerDay?: boolean },
    context: Context,
  ): Promise<Done<Grant, Event>> {
    const data = { ...use, name, credentialHash, at: this.#options.clock.now() };
    return this.#execute(name, { type: "UseCredential", data }, context);
  }

  /** Revokes a credential for good. @throws the refusal's error */
  async revoke(name: string, context: Context): Promise<Done<Grant, Event> & { readonly repeated: boolean }> {
    const data = { name, at: this.#options.clock.now() };
    const done = await this.#execute(name, { type: "RevokeCredential", data }, context);
    return { ...done, repeated: done.events.length === 0 };
  }

  /** Returns every credential ever issued in the kind's one stream, by name. */
  async list(): Promise<readonly Credential<Grant>[]> {
    const { credentials } = await this.load();
    return [...credentials.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** Finds the credential of a name, valid or not. */
  async named(name: string): Promise<Credential<Grant> | undefined> {
    return credentialNamed(this.#options.aggregate.kind, await this.load(name), name);
  }

  /** Finds the credential with a secret of this hash in the kind's one stream, valid or not. */
  async withHash(hash: string): Promise<Credential<Grant> | undefined> {
    return credentialOf(await this.load(), hash);
  }

  /** Returns a credential if it is valid. @param shownHash default: the right one @throws the refusal's error */
  checked(
    credential: Credential<Grant> | undefined,
    shownHash = credential?.credentialHash ?? "",
  ): Credential<Grant> {
    const { aggregate, clock, refuse } = this.#options;
    const refusal = credentialRefusal(aggregate.kind, credential, { shownHash, at: clock.now() });
    if (refusal !== undefined) throw refuse(refusal);
    if (credential === undefined) throw new Error("a missing credential was not refused");
    return credential;
  }

  /** Returns the list's state. @param name of the credential, for a kind with a stream for each */
  async load(name = ""): Promise<CredentialsState<Grant>> {
    const { commands, aggregate } = this.#options;
    return (await commands.load(aggregate, this.#streamOf(name))).state;
  }

  /** Numbered credentials have a stream each; all others of a kind share one. */
  #streamOf(name: string): string {
    return this.#options.aggregate.kind.isNumbered === true ? name : "all";
  }

  async #execute(
    name: string,
    command: CredentialCommand<Grant>,
    context: Context,
  ): Promise<Done<Grant, Event>> {
    const { commands, aggregate, ids, refuse } = this.#options;
    const commandId = `${command.type}/${ids.uuid()}`;
    const sent = { correlationId: commandId, ...context, commandId };
    const executed = await commands.execute(aggregate, this.#streamOf(name), command, sent);
    if (!executed.accepted) throw refuse(executed.rejection);
    return executed;
  }
}
