/** The rules of Hostledger, pure: no clock, no randomness, no input or output. */

export * from "./kernel/assert-never.ts";
export * from "./kernel/decider.ts";
export * from "./kernel/event-codec.ts";
export * from "./kernel/process.ts";
export * from "./kernel/rejection.ts";
export * from "./kernel/result.ts";
export * from "./kernel/values.ts";

export * from "./calendar/calendar.ts";
export * from "./money/money.ts";
export * from "./pricing/registration.ts";
export * from "./pricing/totals.ts";

export * from "./account/account.commands.ts";
export * from "./account/account.decider.ts";
export * from "./account/account.events.ts";
export * from "./account/account.state.ts";
export * from "./account/account.versions.ts";

export * from "./domain/default-zone.ts";
export * from "./domain/domain-name.ts";
export * from "./domain/domain.commands.ts";
export * from "./domain/domain.decider.ts";
export * from "./domain/domain.events.ts";
export * from "./domain/domain.versions.ts";

export * from "./price-list/price-list.decider.ts";
export * from "./price-list/price-list.events.ts";
export * from "./price-list/price-list.versions.ts";

export * from "./sequence/sequence.decider.ts";
export * from "./sequence/sequence.events.ts";
export * from "./sequence/sequence.versions.ts";

export * from "./processes/register-domain/register-domain.events.ts";
export * from "./processes/register-domain/register-domain.inputs.ts";
export { registerDomain } from "./processes/register-domain/register-domain.process.ts";
export { react as reactToRegistration } from "./processes/register-domain/register-domain.reaction.ts";
export * from "./processes/register-domain/register-domain.state.ts";
export * from "./processes/register-domain/register-domain.versions.ts";

export * from "./event-documents.ts";
export * from "./hosting-events.ts";
