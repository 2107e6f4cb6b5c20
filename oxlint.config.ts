import { defineConfig, type DummyRuleMap } from "oxlint";

/** Tests, their fixtures and the cases that contract suites share. */
const testFiles = [
  "**/*.spec.ts",
  "**/*.fixture.ts",
  "**/*.contract.ts",
  "**/testing/**",
  "**/contract/**",
  "test/**",
];

/** A cast gives data from outside its type, so it stands only where data is decoded, next to what proves it. */
const filesThatMayCast = [
  "**/*codec*.ts",
  // Rows of STRICT tables, which were made from the definitions that the row types come from.
  "packages/read/src/sqlite/sqlite-connection.ts",
];

const noWideGenerics = {
  selector: "TSTypeParameterDeclaration[params.length>3]",
  message: "At most three type parameters: more of them say that two ideas live in one type.",
};
const noCasts = {
  selector: "TSAsExpression:not([typeAnnotation.typeName.name='const']), TSTypeAssertion",
  message: "No casts outside *codec*.ts: parse the value, narrow it, or let the type say what is true.",
};
/** `...{ a, b }` says what `a, b` says, as `...[a, b]` does, and is written for the sake of where lines break. */
const noLayoutTricks = {
  selector: "SpreadElement > :matches(ObjectExpression, ArrayExpression)",
  message: "Write what is in the braces, without a spread.",
};
const noSwitchedOffTests = {
  selector:
    "MemberExpression[object.name=/^(it|test|describe|suite)$/][property.name=/^(skip|only|todo|skipIf|runIf|fails)$/]",
  message: "A test runs, always and everywhere, or is deleted.",
};
/** Time is injected, waiting too: what waits by the machine's timers cannot be tested without waiting. */
const timersAreOfRuntime =
  "Only packages/runtime touches timers: wait by the clock that is handed in, or by @hostledger/runtime/async.";
const timerNames = ["setTimeout", "setInterval", "setImmediate"];
const noTimers = {
  globals: timerNames.map((name) => ({ name, message: timersAreOfRuntime })),
  properties: [
    ...timerNames.map((property) => ({ object: "globalThis", property, message: timersAreOfRuntime })),
    { object: "AbortSignal", property: "timeout", message: timersAreOfRuntime },
    { object: "performance", property: "now", message: timersAreOfRuntime },
    { object: "Atomics", property: "wait", message: timersAreOfRuntime },
  ],
  imports: ["timers", "timers/promises", "node:timers", "node:timers/promises"].map((name) => ({
    name,
    message: timersAreOfRuntime,
  })),
};

/** Where timers are touched. */
const filesWithTimers = [
  "packages/runtime/src/**",
  // It measures the machine, and must not measure a clock of ours instead.
  "test/bench/**",
];

const noClockInCore = {
  selector: "NewExpression[callee.name='Date'][arguments.length=0]",
  message: "Core has no clock: the time arrives in the command.",
};

/** Beside the category "correctness", which finds what is plainly wrong: what hides it, and what has one spelling here. */
const rulesOfTypeScript: DummyRuleMap = {
  "no-array-constructor": "error",
  "no-empty-function": "error",
  "no-unused-vars": [
    "error",
    { argsIgnorePattern: "^_", varsIgnorePattern: "^_", caughtErrors: "all", ignoreRestSiblings: true },
  ],
  "no-useless-constructor": "error",
  "no-var": "error",
  "prefer-const": "error",
  "prefer-rest-params": "error",
  "prefer-spread": "error",
  "typescript/adjacent-overload-signatures": "error",
  "typescript/array-type": "error",
  "typescript/ban-ts-comment": ["error", { minimumDescriptionLength: 10 }],
  "typescript/ban-tslint-comment": "error",
  "typescript/class-literal-property-style": "error",
  "typescript/consistent-generic-constructors": "error",
  "typescript/consistent-indexed-object-style": "error",
  "typescript/consistent-type-assertions": "error",
  "typescript/consistent-type-definitions": "error",
  "typescript/consistent-type-imports": "error",
  "typescript/dot-notation": "error",
  "typescript/no-confusing-non-null-assertion": "error",
  "typescript/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
  // Its authors mark it so that it stands out: it is for providers on this machine alone (configuration/safe-url.ts).
  "typescript/no-deprecated": [
    "error",
    { allow: [{ from: "package", package: "openid-client", name: "allowInsecureRequests" }] },
  ],
  "typescript/no-dynamic-delete": "error",
  "typescript/no-empty-object-type": "error",
  "typescript/no-explicit-any": "error",
  "typescript/no-extraneous-class": "error",
  "typescript/no-generated-empty-object-type": "error",
  "typescript/no-inferrable-types": "error",
  "typescript/no-invalid-void-type": "error",
  "typescript/no-misused-promises": "error",
  "typescript/no-mixed-enums": "error",
  "typescript/no-namespace": "error",
  "typescript/no-non-null-asserted-nullish-coalescing": "error",
  "typescript/no-non-null-assertion": "error",
  "typescript/no-require-imports": "error",
  "typescript/no-unnecessary-boolean-literal-compare": "error",
  "typescript/no-unnecessary-condition": "error",
  "typescript/no-unnecessary-template-expression": "error",
  "typescript/no-unnecessary-type-arguments": "error",
  "typescript/no-unnecessary-type-assertion": "error",
  "typescript/no-unnecessary-type-constraint": "error",
  "typescript/no-unnecessary-type-conversion": "error",
  "typescript/no-unnecessary-type-parameters": "error",
  "typescript/no-unsafe-argument": "error",
  "typescript/no-unsafe-assignment": "error",
  "typescript/no-unsafe-call": "error",
  "typescript/no-unsafe-enum-assignment": "error",
  "typescript/no-unsafe-enum-comparison": "error",
  "typescript/no-unsafe-function-type": "error",
  "typescript/no-unsafe-member-access": "error",
  "typescript/no-unsafe-return": "error",
  "typescript/non-nullable-type-assertion-style": "error",
  "typescript/only-throw-error": "error",
  "typescript/prefer-find": "error",
  "typescript/prefer-for-of": "error",
  "typescript/prefer-function-type": "error",
  "typescript/prefer-includes": "error",
  "typescript/prefer-literal-enum-member": "error",
  "typescript/prefer-nullish-coalescing": "error",
  "typescript/prefer-optional-chain": "error",
  "typescript/prefer-promise-reject-errors": "error",
  "typescript/prefer-reduce-type-parameter": "error",
  "typescript/prefer-regexp-exec": "error",
  "typescript/prefer-return-this-type": "error",
  "typescript/prefer-string-starts-ends-with": "error",
  "typescript/related-getter-setter-pairs": "error",
  "typescript/require-await": "error",
  "typescript/restrict-plus-operands": [
    "error",
    {
      allowAny: false,
      allowBoolean: false,
      allowNullish: false,
      allowNumberAndString: false,
      allowRegExp: false,
    },
  ],
  "typescript/restrict-template-expressions": [
    "error",
    {
      allowAny: false,
      allowBoolean: false,
      allowNever: false,
      allowNullish: false,
      allowNumber: false,
      allowRegExp: false,
    },
  ],
  "typescript/return-await": ["error", "error-handling-correctness-only"],
  "typescript/switch-exhaustiveness-check": [
    "error",
    { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
  ],
  "typescript/unified-signatures": "error",
  "typescript/use-unknown-in-catch-callback-variable": "error",
};

export default defineConfig({
  plugins: ["typescript"],
  // What oxlint has not: ESLint's own rule.
  jsPlugins: [{ name: "eslint-js", specifier: "oxlint-plugin-eslint" }],
  options: { typeAware: true, typeCheck: true, reportUnusedDisableDirectives: "error" },
  categories: { correctness: "error" },
  ignorePatterns: ["**/node_modules/", "packages/protocol/src/gen/", "coverage/", "data/"],
  rules: {
    eqeqeq: "error",
    "prefer-const": "error",
    // What looks for control characters, and for letters that join, says which.
    "no-control-regex": "off",
    "no-misleading-character-class": "off",
  },
  overrides: [
    {
      files: ["**/*.ts"],
      rules: {
        ...rulesOfTypeScript,
        "max-lines-per-function": ["error", { max: 70, skipBlankLines: true, skipComments: true }],
        "max-lines": ["error", { max: 300 }],
        "eslint-js/no-restricted-syntax": ["error", noWideGenerics, noCasts, noLayoutTricks],
        "no-restricted-globals": ["error", ...noTimers.globals],
        "no-restricted-properties": ["error", ...noTimers.properties],
        "no-restricted-imports": ["error", { paths: noTimers.imports }],
      },
    },
    {
      files: filesWithTimers,
      rules: {
        "no-restricted-globals": "off",
        "no-restricted-properties": "off",
        "no-restricted-imports": "off",
      },
    },
    {
      files: filesThatMayCast,
      rules: { "eslint-js/no-restricted-syntax": ["error", noWideGenerics, noLayoutTricks] },
    },
    {
      files: ["packages/core/src/**/*.ts"],
      rules: {
        "no-restricted-globals": [
          "error",
          "process",
          "console",
          "crypto",
          "fetch",
          "performance",
          ...timerNames,
          "queueMicrotask",
        ],
        "no-restricted-properties": [
          "error",
          ...noTimers.properties,
          { object: "Date", property: "now", message: noClockInCore.message },
          {
            object: "Math",
            property: "random",
            message: "Core has no randomness: new ids arrive in the command.",
          },
        ],
        "eslint-js/no-restricted-syntax": ["error", noWideGenerics, noCasts, noClockInCore, noLayoutTricks],
      },
    },
    {
      files: ["packages/core/src/**/*codec*.ts"],
      rules: { "eslint-js/no-restricted-syntax": ["error", noWideGenerics, noClockInCore, noLayoutTricks] },
    },
    {
      files: testFiles,
      rules: {
        // A describe block is as long as its cases.
        "max-lines-per-function": "off",
        "max-lines": ["error", { max: 400 }],
        // Specs hand in on purpose what the types forbid, and matchers such as expect.any() are untyped.
        "eslint-js/no-restricted-syntax": ["error", noWideGenerics, noSwitchedOffTests, noLayoutTricks],
        "typescript/no-unsafe-assignment": "off",
        // Lists whose texts have one order: numbers of one digit, texts in pairs.
        "typescript/require-array-sort-compare": "off",
        // Deciders are three pure functions in an object; specs take them out of it.
        "typescript/unbound-method": "off",
      },
    },
  ],
});
