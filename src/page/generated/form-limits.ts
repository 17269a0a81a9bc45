/** Generated from the schemas by `npm run generate`; never edited by hand. */

import type { TextLimits } from "../parts/text-problem.ts";

export const formLimits = {
  "objectName": {
    "minLength": 1,
    "maxLength": 63,
    "rules": [
      {
        "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
        "message": "must be a DNS label of at most 63 characters: lower-case letters, digits and '-', starting and ending with a letter or digit"
      }
    ]
  },
  "displayName": {
    "minLength": 0,
    "maxLength": 200,
    "rules": [
      {
        "pattern": "[^ \\t\\n\\v\\f\\r]",
        "message": "must not be blank"
      }
    ]
  },
  "instructions": {
    "minLength": 1,
    "maxLength": 15000,
    "rules": [
      {
        "pattern": "[^ \\t\\n\\v\\f\\r]",
        "message": "must not be blank"
      }
    ]
  },
  "repository": {
    "minLength": 1,
    "maxLength": 63,
    "rules": [
      {
        "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
        "message": "must be a DNS label of at most 63 characters: lower-case letters, digits and '-', starting and ending with a letter or digit"
      }
    ]
  },
  "serviceAccountName": {
    "minLength": 1,
    "maxLength": 253,
    "rules": [
      {
        "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
        "message": "must be a DNS subdomain of at most 253 characters: lower-case letters, digits, '-' and '.', each part starting and ending with a letter or digit"
      },
      {
        "not": "default",
        "message": "must not be default: sandboxes run under a ServiceAccount of their own"
      }
    ]
  },
  "cron": {
    "minLength": 9,
    "maxLength": 256,
    "rules": []
  },
  "timeZone": {
    "minLength": 1,
    "maxLength": 64,
    "rules": [
      {
        "pattern": "^[A-Za-z][A-Za-z0-9_+-]*(\\/[A-Za-z0-9_+-]+)*$",
        "message": "must be the name of an IANA time zone such as Europe/Paris, not an offset"
      }
    ]
  },
  "filterPath": {
    "minLength": 0,
    "maxLength": 1024,
    "rules": [
      {
        "pattern": "^\\$(\\.[^.[\\]()*?\\p{Cc}]+)+$",
        "message": "must be a dot path from the payload's root such as $.alert.severity: steps of plain member names, without indexes, wildcards, filter expressions or empty steps"
      }
    ]
  },
  "secretName": {
    "minLength": 1,
    "maxLength": 253,
    "rules": [
      {
        "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
        "message": "must be a DNS subdomain of at most 253 characters: lower-case letters, digits, '-' and '.', each part starting and ending with a letter or digit"
      }
    ]
  },
  "secretKey": {
    "minLength": 1,
    "maxLength": 253,
    "rules": [
      {
        "pattern": "^[-._a-zA-Z0-9]+$",
        "message": "must be a Secret's data key: letters, digits, '-', '_' and '.'"
      }
    ]
  }
} satisfies Record<string, TextLimits>;

/** Filters of one webhook. */
export const mostFilters = 64;
