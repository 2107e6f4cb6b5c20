/** A right line for every command that speaks to a running instance. */
export const staffLines: readonly (readonly string[])[] = [
  ["admin", "account", "open", "--name", "Ada"],
  ["admin", "account", "show", "7"],
  ["admin", "account", "vat-exempt", "7", "--on"],
  ["admin", "account", "top-up", "7", "--amount", "100.00", "--reference", "R"],
  ["admin", "key", "issue", "7"],
  ["admin", "key", "revoke", "3"],
  ["admin", "key", "list", "7"],
  ["admin", "price", "set", "com", "--registration", "10", "--renewal", "12.00", "--transfer", "9.5"],
  ["admin", "price", "list"],
  ["admin", "runs", "list"],
  ["admin", "runs", "retry", "registration-1"],
  ["admin", "runs", "abandon", "registration-1"],
  ["admin", "sandbox", "show"],
  ["projections", "status"],
  ["projections", "rebuild"],
];
