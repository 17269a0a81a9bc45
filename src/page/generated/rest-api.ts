/** Generated from the OpenAPI document by `npm run generate`; never edited by hand. */

export interface paths {
    "/caller": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who the caller is to the cluster
         * @description The caller must be allowed to nothing; the token alone decides.
         */
        get: operations["getCaller"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/automations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Automations, newest first
         * @description The caller must be allowed to list automations, in the namespace or in all.
         */
        get: operations["listAutomations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/automations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One automation with its instructions
         * @description The caller must be allowed to get automations.
         */
        get: operations["getAutomation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/automations/{id}/invocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Firings of an automation, newest first, also those that only the archive has
         * @description The caller must be allowed to get automations and list runs.
         */
        get: operations["listInvocations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/automations/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The last deliveries to an automation, and the decision about each
         * @description The caller must be allowed to get automations and get deliverylogs.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/automations/{id}/example": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A command that sends a delivery which the filters of a webhook match
         * @description The caller must be allowed to get automations.
         */
        get: operations["exampleDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/automations/{id}/rights": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the caller may do with an automation
         * @description The caller must be allowed to get automations.
         */
        get: operations["automationRights"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/automations/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause an automation; active runs go on
         * @description The caller must be allowed to patch automations, and impersonate its ServiceAccount since the spec changes.
         */
        post: operations["pauseAutomation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/automations/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume an automation and reset its count of failures
         * @description The caller must be allowed to patch automations, and impersonate its ServiceAccount if it was suspended.
         */
        post: operations["resumeAutomation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/automations/{id}/trigger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fire an automation by hand
         * @description The caller must be allowed to get automations and create runs.
         */
        post: operations["triggerAutomation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/automations/{id}/regenerate-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the API key or signing secret of a webhook automation
         * @description The caller must be allowed to create automations/key.
         */
        post: operations["regenerateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/automations/{id}/signing-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the secret with which a sender signs its deliveries
         * @description The caller must be allowed to create automations/key.
         */
        post: operations["setSigningSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sessions, newest first
         * @description The caller must be allowed to list sessions, in the namespace or in all.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One session
         * @description The caller must be allowed to get sessions.
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/rights": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the caller may do with a session
         * @description The caller must be allowed to get sessions.
         */
        get: operations["sessionRights"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel the prompt that is processed; queued ones go on
         * @description The caller must be allowed to get sessions and patch prompts.
         */
        post: operations["stopSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel all unfinished prompts; the session stays and takes further ones
         * @description The caller must be allowed to get sessions, list prompts and patch prompts.
         */
        post: operations["cancelSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/prompts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prompts of a session, newest first, without their texts
         * @description The caller must be allowed to get sessions and list prompts.
         */
        get: operations["listPrompts"];
        put?: never;
        /**
         * Send a prompt to a session
         * @description The caller must be allowed to create prompts.
         */
        post: operations["createPrompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/prompts/{promptId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One prompt with its text
         * @description The caller must be allowed to get prompts.
         */
        get: operations["getPrompt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/prompts/{promptId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a prompt, queued or processed
         * @description The caller must be allowed to patch prompts.
         */
        post: operations["cancelPrompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/prompts/{promptId}/pull-request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The pull request of the branch that a prompt ended with
         * @description The caller must be allowed to get prompts and list pullrequests.
         */
        get: operations["getPullRequest"];
        put?: never;
        /**
         * Have the pull request of the prompt's branch opened, tried again, or its state read at GitHub
         * @description The caller must be allowed to patch prompts and list pullrequests.
         */
        post: operations["requestPullRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Figures of the sessions of the last days, from the archive
         * @description The caller must be allowed to list sessions, in the namespace or in all.
         */
        get: operations["analyticsSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/timeseries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sessions of the last days by day and group, from the archive
         * @description The caller must be allowed to list sessions, in the namespace or in all.
         */
        get: operations["analyticsTimeseries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/breakdown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Figures of the sessions of the last days by group, from the archive
         * @description The caller must be allowed to list sessions, in the namespace or in all.
         */
        get: operations["analyticsBreakdown"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/pull-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Figures of the pull requests of the last days, from the archive
         * @description The caller must be allowed to list pullrequests and sessions, in the namespace or in all.
         */
        get: operations["analyticsPullRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/archive/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Firings of all automations, newest first, also those that the cluster has no more
         * @description The caller must be allowed to list runs, in the namespace or in all.
         */
        get: operations["listArchivedRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/archive/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sessions, newest first, also those that the cluster has no more
         * @description The caller must be allowed to list sessions, in the namespace or in all.
         */
        get: operations["listArchivedSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happened in a session, and what happens until it is finished
         * @description Server-Sent Events. The data of each is a SessionEvent, its id goes into Last-Event-ID to continue after it; an event named older, whose data is {before}, means that there are events before those that follow, to be had with before and last; an event named end means that the session is finished, or that all was sent that is stored. A stream also ends after half an hour, and within a minute once the caller's token or right has ended. The caller must be allowed to get sessions/log.
         */
        get: operations["streamSessionEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/prebuilt-images/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happened in the latest builds of a prebuilt image, and what happens until no build goes on
         * @description Server-Sent Events. The data of each is a SessionEvent, its id goes into Last-Event-ID to continue after it; an event named older, whose data is {before}, means that there are events before those that follow, to be had with before and last; attempt is the number of the build; events of builds that are no longer among the last ten are deleted. An event named end means that no build goes on, or that all was sent that is stored. A stream also ends after half an hour, and within a minute once the caller's token or right has ended. The caller must be allowed to get prebuiltimages/log.
         */
        get: operations["streamImageEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/images": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload an image for prompts of a session
         * @description The body is the image: PNG, JPEG, WebP or GIF by its content, at most 10485760 bytes. The caller must be allowed to create prompts.
         */
        post: operations["uploadImage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/prompts/{promptId}/media/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A file that the agent attached to its answer
         * @description file is the digest's 64 digits and the ending that follows from the media type, such as .png or .mp4. Files are kept for a week at least. The caller must be allowed to get prompts.
         */
        get: operations["downloadMedia"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Refusal: {
            /** @description What is wrong, for people. */
            error: string;
            /**
             * @description What is wrong, for programs.
             * @enum {string}
             */
            code: "InvalidRequest" | "NotAWebhook" | "NotSigned" | "NotAnImage" | "ImageNotFound" | "Unauthorized" | "Forbidden" | "NotFound" | "MethodNotAllowed" | "AutomationPaused" | "ConcurrentRunActive" | "RunSkipped" | "KeyExists" | "KeyManagedBySecret" | "RequestConflict" | "Conflict" | "Refused" | "CostLimitReached" | "NoBranch" | "TooManyImages" | "NoRoom" | "PayloadTooLarge" | "UnsupportedMediaType" | "QueueFull" | "TooManyStreams" | "PortClosed" | "SandboxNotConnected" | "SandboxSilent" | "Busy" | "Unavailable";
            /** @description Of a firing that was recorded as skipped: its invocation. */
            invocationId?: string;
            /** @description The invocation that was active instead. */
            activeInvocationId?: string;
            /** @description Of a prompt that was stored and refused: its name. */
            promptId?: string;
        };
        AutomationSummary: {
            /** @description <namespace>.<name> */
            id: string;
            namespace: string;
            /** @description The display name, else the object's name. */
            name: string;
            /** @enum {string} */
            triggerType: "webhook" | "error_tracker" | "github_event" | "slack_event" | "schedule" | "manual";
            scheduleCron: string | null;
            scheduleTz: string | null;
            /** @description The next due time; null when paused or without a schedule. */
            nextRunAt: number | null;
            /** @description Where deliveries are posted; null for other triggers. */
            webhookUrl: string | null;
            /** @description Names of Repositories. */
            repositories: string[];
            /** @description Names of Environments. */
            environments: string[];
            /** @description ServiceAccount that its runs act as. */
            serviceAccountName: string;
            /** @description False while paused. */
            enabled: boolean;
            /**
             * @description Degraded: enabled, and the last run failed.
             * @enum {string}
             */
            status: "enabled" | "degraded" | "paused";
            /** @description suspended (by a person) or too_many_failures; null while enabled. */
            pauseReason: string | null;
            /** @description Failed runs in a row; 3 pause it. */
            consecutiveFailures: number;
            /** @description Invocations that have not ended. */
            activeRuns: number;
            /** @description The newest invocation and its result. */
            lastInvocation: {
                id: string;
                reason: string;
                /** @description Milliseconds since 1970-01-01T00:00:00Z. */
                createdAt: number;
            } | null;
            /** @description Why it does not work, for people; null when it does. */
            problem: string | null;
            /** @description Milliseconds since 1970-01-01T00:00:00Z. */
            createdAt: number;
        };
        Automation: {
            /** @description <namespace>.<name> */
            id: string;
            namespace: string;
            /** @description The display name, else the object's name. */
            name: string;
            /** @enum {string} */
            triggerType: "webhook" | "error_tracker" | "github_event" | "slack_event" | "schedule" | "manual";
            scheduleCron: string | null;
            scheduleTz: string | null;
            /** @description The next due time; null when paused or without a schedule. */
            nextRunAt: number | null;
            /** @description Where deliveries are posted; null for other triggers. */
            webhookUrl: string | null;
            /** @description Names of Repositories. */
            repositories: string[];
            /** @description Names of Environments. */
            environments: string[];
            /** @description ServiceAccount that its runs act as. */
            serviceAccountName: string;
            /** @description False while paused. */
            enabled: boolean;
            /**
             * @description Degraded: enabled, and the last run failed.
             * @enum {string}
             */
            status: "enabled" | "degraded" | "paused";
            /** @description suspended (by a person) or too_many_failures; null while enabled. */
            pauseReason: string | null;
            /** @description Failed runs in a row; 3 pause it. */
            consecutiveFailures: number;
            /** @description Invocations that have not ended. */
            activeRuns: number;
            /** @description The newest invocation and its result. */
            lastInvocation: {
                id: string;
                reason: string;
                /** @description Milliseconds since 1970-01-01T00:00:00Z. */
                createdAt: number;
            } | null;
            /** @description Why it does not work, for people; null when it does. */
            problem: string | null;
            /** @description Milliseconds since 1970-01-01T00:00:00Z. */
            createdAt: number;
            instructions: string;
            /** @description Filters of a webhook's payloads; null for other triggers. */
            filters: components["schemas"]["Filter"][] | null;
        };
        Filter: {
            path: string;
            /**
             * @description operator is how the found value is compared with value. Where the path is missing, no operator matches.
             * @enum {string}
             */
            operator: "eq" | "neq" | "gt" | "gte" | "lt" | "lte" | "contains" | "exists";
            value?: string | number | boolean;
        };
        Invocation: {
            /** @description The Run's name. */
            id: string;
            automationId: string;
            /**
             * @description What fired the automation.
             * @enum {string}
             */
            source: "event" | "schedule" | "manual";
            /** @enum {string} */
            status: "starting" | "running" | "completed" | "partial_failed" | "failed" | "skipped";
            /** @description Such as concurrent_run_active; null unless skipped. */
            skipReason: string | null;
            /** @description Such as execution_timeout; null unless failed. */
            failureReason: string | null;
            /** @description The status in words, for people. */
            message: string | null;
            /** @description Milliseconds since 1970-01-01T00:00:00Z. */
            createdAt: number;
            /** @description The due time that fired it; null for other sources. */
            scheduledAt: number | null;
            /** @description Milliseconds since 1970-01-01T00:00:00Z, or null. */
            startedAt: number | null;
            /** @description Milliseconds since 1970-01-01T00:00:00Z, or null. */
            completedAt: number | null;
            /** @description When a time limit will end it; null while none applies. */
            executionDeadlineAt: number | null;
            /** @description As in the response header of the delivery; null for other sources. */
            deliveryId: string | null;
            /** @description What the agent reported; not verified. */
            result: {
                summary: string | null;
                branch: string | null;
                commit: string | null;
                /** @description All branches that git pushed meanwhile; branch and commit are of the first Repository. */
                pushes: components["schemas"]["PushedBranch"][];
            } | null;
            /** @description One session for each target; none before the start. */
            runs: {
                /** @description The session's name. */
                id: string;
                /** @description What the session works on, as kind/name; null for an empty workspace. In the archive it is the primary Repository. */
                target: string | null;
                /** @enum {string} */
                state: "running" | "completed" | "failed";
                /** @description Null unless failed; the archive does not keep it. */
                failureReason: string | null;
            }[];
            /** @description When the archive saw that the Run had been deleted; null while the cluster has it. */
            goneAt: number | null;
        };
        PushedBranch: {
            /** @description Name of the Repository whose checkout it was pushed from. */
            repository: string;
            branch: string;
            /** @description The full id of the commit that it was pushed at, the last time. */
            commit: string;
        };
        TrimmedHistory: {
            namespace: string;
            /** @description History is whole after it: what was created later is all there. */
            since: number;
            /**
             * @description The chart value below archive.budgets that was exceeded.
             * @enum {string}
             */
            budget: "namespace" | "total";
            /** @description How large that budget was. */
            budgetBytes: number;
            /** @description What the namespace has in the archive, as it counts against budgets. */
            bytes: number;
            /** @description The same for people, with what to ask for. */
            message: string;
        };
        Delivery: {
            /** @description As in the response header of the delivery. */
            id: string;
            /** @description Milliseconds since 1970-01-01T00:00:00Z. */
            receivedAt: number;
            /** @enum {string} */
            decision: "Started" | "Duplicate" | "Filtered" | "Paused" | "RateLimited" | "InvalidPayload" | "TooManyUnfinishedRuns" | "Throttled" | "Unavailable";
            /** @description The decision in words, such as the filter that did not match. */
            message: string;
            /** @description The HTTP status that the sender got. */
            httpStatus: number;
            /** @description The Run that it started, or that it is a duplicate of. */
            invocationId: string | null;
            bodyBytes: number;
            /** @description The body of a delivery that started nothing, where it is kept. */
            body: string | null;
        };
        RefusedRequests: {
            /** @enum {string} */
            reason: "MethodNotAllowed" | "UnsupportedMediaType" | "PayloadTooLarge" | "MissingKey" | "WrongKey" | "Unavailable";
            count: number;
            /** @description Milliseconds since 1970-01-01T00:00:00Z. */
            lastAt: number;
        };
        Session: {
            /** @description <namespace>.<name> */
            id: string;
            namespace: string;
            /** @description The title, else the object's name. */
            name: string;
            /**
             * @description Active: a prompt is unfinished. Created: no prompt is unfinished or has ended. Sessions of every status take prompts.
             * @enum {string}
             */
            status: "created" | "active" | "idle";
            /** @description Names of Repositories. */
            repositories: string[];
            /** @description Name of an Environment. */
            environment: string | null;
            /** @description ServiceAccount that it acts as. */
            serviceAccountName: string;
            /** @description State of its sandbox, with the reason in lower case; null before the controller has set one. */
            sandbox: {
                isReady: boolean;
                reason: string;
                message: string;
            } | null;
            /** @description The prompt that is processed. */
            currentPrompt: {
                id: string;
                /** @description Milliseconds since 1970-01-01T00:00:00Z. */
                startedAt: number;
                /** @description Milliseconds since 1970-01-01T00:00:00Z. */
                deadlineAt: number;
            } | null;
            /** @description Prompts that are processed or wait, 50 at most. */
            unfinishedPrompts: number;
            endedPrompts: number;
            /** @description The next time limit and the reason that it will give. */
            nextDeadline: {
                /** @description Milliseconds since 1970-01-01T00:00:00Z. */
                at: number;
                reason: string;
            } | null;
            /** @description Cost in US dollars, such as 0.25; null while its agent has reported none. */
            costUsd: string | null;
            /** @description Ports of the sandbox that people reach; empty while it has none. */
            tunnels: {
                port: number;
                /** @description For programs; a browser needs a local forward. */
                url: string;
            }[];
            /** @description What the agent reported; not verified. */
            result: {
                summary: string | null;
                branch: string | null;
                commit: string | null;
                /** @description All branches that git pushed meanwhile; branch and commit are of the first Repository. */
                pushes: components["schemas"]["PushedBranch"][];
            } | null;
            /** @description Milliseconds since 1970-01-01T00:00:00Z. */
            createdAt: number;
        };
        PromptSummary: {
            /** @description The Prompt's name. */
            id: string;
            /** @description <namespace>.<name> */
            sessionId: string;
            /**
             * @description Created: the controller has not decided about it yet. Pending: accepted, and waiting in the queue.
             * @enum {string}
             */
            status: "created" | "pending" | "processing" | "completed" | "failed" | "cancelled";
            /** @description Such as execution_timeout or queue_full; null unless failed. */
            failureReason: string | null;
            /** @description How it ended in words, for people; null until then. */
            message: string | null;
            /** @description What it was made from that no person wrote: feedback on a pull request; null for all others. */
            origin: "pull_request_feedback" | null;
            /** @description Milliseconds since 1970-01-01T00:00:00Z. */
            createdAt: number;
            /** @description Milliseconds since 1970-01-01T00:00:00Z, or null. */
            startedAt: number | null;
            /** @description Milliseconds since 1970-01-01T00:00:00Z, or null. */
            completedAt: number | null;
            /** @description What the agent reported; not verified. */
            result: {
                summary: string | null;
                branch: string | null;
                commit: string | null;
                /** @description All branches that git pushed meanwhile; branch and commit are of the first Repository. */
                pushes: components["schemas"]["PushedBranch"][];
            } | null;
            /** @description Usage that the agent reported. */
            usage: {
                inputTokens: number | null;
                outputTokens: number | null;
                /** @description US dollars, such as 0.25. */
                costUsd: string | null;
            } | null;
            /** @description Files that the agent attached to its answer; null where it attached none. */
            media: components["schemas"]["PromptMedia"] | null;
        };
        PromptMedia: {
            /** @description In the agent's order. */
            files: {
                /** @description For people; several files may have the same. */
                fileName: string;
                /**
                 * @description The format by the file's content.
                 * @enum {string}
                 */
                mediaType: "image/png" | "image/jpeg" | "image/webp" | "image/gif" | "video/mp4";
                /** @description The file's size. */
                bytes: number;
                /** @description Where this API gives the file to who may get prompts, for a week at least. */
                path: string;
            }[];
            /** @description Further files that the agent attached and that are not kept. */
            leftOut: number;
        };
        Prompt: {
            /** @description The Prompt's name. */
            id: string;
            /** @description <namespace>.<name> */
            sessionId: string;
            /**
             * @description Created: the controller has not decided about it yet. Pending: accepted, and waiting in the queue.
             * @enum {string}
             */
            status: "created" | "pending" | "processing" | "completed" | "failed" | "cancelled";
            /** @description Such as execution_timeout or queue_full; null unless failed. */
            failureReason: string | null;
            /** @description How it ended in words, for people; null until then. */
            message: string | null;
            /** @description What it was made from that no person wrote: feedback on a pull request; null for all others. */
            origin: "pull_request_feedback" | null;
            /** @description Milliseconds since 1970-01-01T00:00:00Z. */
            createdAt: number;
            /** @description Milliseconds since 1970-01-01T00:00:00Z, or null. */
            startedAt: number | null;
            /** @description Milliseconds since 1970-01-01T00:00:00Z, or null. */
            completedAt: number | null;
            /** @description What the agent reported; not verified. */
            result: {
                summary: string | null;
                branch: string | null;
                commit: string | null;
                /** @description All branches that git pushed meanwhile; branch and commit are of the first Repository. */
                pushes: components["schemas"]["PushedBranch"][];
            } | null;
            /** @description Usage that the agent reported. */
            usage: {
                inputTokens: number | null;
                outputTokens: number | null;
                /** @description US dollars, such as 0.25. */
                costUsd: string | null;
            } | null;
            /** @description Files that the agent attached to its answer; null where it attached none. */
            media: components["schemas"]["PromptMedia"] | null;
            text: string;
            /** @description In the agent's order. */
            images: {
                /** @description digest is the SHA-256 of the image's bytes, as the upload returns it: sha256: and 64 digits. */
                digest: string;
                /**
                 * @description mediaType is the image's format: image/png, image/jpeg, image/webp or image/gif.
                 * @enum {string}
                 */
                mediaType: "image/png" | "image/jpeg" | "image/webp" | "image/gif";
                /** @description fileName is the image's name for people, at most 255 characters; it has no effect. */
                fileName?: string;
            }[];
        };
        PullRequest: {
            /** @description <namespace>.<name> of the PullRequest. */
            id: string;
            /** @description <namespace>.<name> of the Session that owns it. */
            sessionId: string;
            /** @description OWNER/NAME at GitHub in lower case. */
            repository: string;
            /** @description Its number at GitHub; null before it is open. */
            number: number | null;
            /** @description Its page at GitHub; null before it is open. */
            url: string | null;
            /** @description What GitHub last said of it; null before it is open. */
            state: ("draft" | "open" | "merged" | "closed") | null;
            /** @description The reason of its condition Ready, such as pull_request_refused; empty before it has one. */
            reason: string;
            /** @description The condition's message, for people. */
            message: string;
        };
        AnalyticsSummary: {
            totalSessions: number;
            /** @description Different people who sent a session its first prompt, as far as the gateway knows them. */
            activeUsers: number;
            /** @description Prompts that wait or have ended. */
            totalMessages: number;
            /** @description US dollars as decimal text, such as 2.5. */
            totalCostUsd: string;
            /** @description A session's, rounded down to a millionth; 0 without sessions. */
            avgCostUsd: string;
            /** @description Each session once: archived when its object is gone, else active, else the outcome of its last prompt. */
            statusBreakdown: {
                created: number;
                active: number;
                completed: number;
                failed: number;
                cancelled: number;
                archived: number;
            };
            /** @description Outcomes of last prompts, also of sessions that are active again or gone. */
            outcomes: {
                completed: number;
                failed: number;
                cancelled: number;
            };
            /** @description Completed by completed, failed and cancelled; null where nothing has ended. */
            completionRate: number | null;
        };
        AnalyticsSeries: {
            /** @enum {string} */
            by: "user" | "repository" | "automation";
            /** @description The groups with most sessions, 20 at most, most sessions first. */
            groups: {
                /** @description User name, name of the Repository or UID of the Automation; null where there is none. */
                key: string | null;
                /** @description Of the Repository or Automation; null for users. */
                namespace: string | null;
                /** @description The name, or Unknown user, No repository or No automation. */
                displayName: string;
                sessions: number;
            }[];
            /** @description Every UTC day that the window touches, by creation, oldest first; the first and the last one in part. */
            series: {
                /**
                 * Format: date
                 * @description A UTC day.
                 */
                date: string;
                sessions: number;
                /** @description US dollars as decimal text, such as 2.5. */
                costUsd: string;
                /** @description Sessions of each of the groups, in their order. */
                groups: number[];
                /** @description Sessions of all other groups. */
                others: number;
            }[];
        };
        AnalyticsBreakdown: {
            /** @enum {string} */
            by: "user" | "repository" | "automation";
            /** @description Most sessions first, then by name. Outcomes of last prompts, also of sessions that are active again or gone. */
            entries: {
                /** @description User name, name of the Repository or UID of the Automation; null where there is none. */
                key: string | null;
                /** @description Of the Repository or Automation; null for users. */
                namespace: string | null;
                /** @description The name, or Unknown user, No repository or No automation. */
                displayName: string;
                sessions: number;
                completed: number;
                failed: number;
                cancelled: number;
                /** @description Completed by completed, failed and cancelled; null where nothing has ended. */
                completionRate: number | null;
                /** @description US dollars as decimal text, such as 2.5. */
                costUsd: string;
                /** @description Prompts that wait or have ended. */
                messageCount: number;
                /** @description Milliseconds from the creation of a session until it was idle or gone; null where none is. */
                avgDurationMs: number | null;
                /** @description When a session of it was created or went idle last, and now while one is active; null where key is. */
                lastActiveAt: number | null;
            }[];
            /** @description Whether there are more groups than the limit. */
            hasMore: boolean;
        };
        AnalyticsPullRequests: {
            /** @description Pull requests that were created in the window, and their last known state; closed are those without a merge. */
            funnel: {
                created: number;
                draft: number;
                open: number;
                merged: number;
                closed: number;
            };
            /** @description Merged by merged and closed, of those that were created in the window; null where there is neither. */
            acceptanceRate: number | null;
            /** @description Cost of the sessions whose first pull request was created in the window. */
            costUsd: string;
            /** @description That cost by the pull requests of the window that were merged, rounded down to a millionth; null without one. */
            costPerMergedUsd: string | null;
            /** @description Pull requests that were merged in the window, whenever they were created. */
            mergedInWindow: number;
            /** @description Milliseconds from creation to merge, of those that were merged in the window; null without one. */
            avgTimeToMergeMs: number | null;
            /** @description Pull requests that are open now, whenever they were created, while their PullRequest is there. */
            openNow: {
                draft: number;
                open: number;
            };
            /** @description People, automations and agents, also without one; others where there is one. */
            bySource: {
                /** @description Who started the session; null where the archive has never seen it. */
                startedBy: ("people" | "automations" | "agents") | null;
                /** @description Pull requests that were created in the window. */
                created: number;
                /** @description Pull requests that were merged in the window, whenever they were created. */
                merged: number;
            }[];
            /** @description Most created first, then most merged, then by name. */
            byRepository: {
                namespace: string;
                /** @description Name of the Repository. */
                repository: string;
                /** @description Pull requests that were created in the window. */
                created: number;
                /** @description Pull requests that were merged in the window, whenever they were created. */
                merged: number;
            }[];
            /** @description Whether there are more Repositories than the limit. */
            hasMore: boolean;
            /** @description Every UTC day that the window touches, oldest first; the first and the last one in part. */
            series: {
                /**
                 * Format: date
                 * @description A UTC day.
                 */
                date: string;
                /** @description Pull requests that were created in the window. */
                created: number;
                /** @description Pull requests that were merged in the window, whenever they were created. */
                merged: number;
            }[];
        };
        ArchivedSession: {
            /** @description <namespace>.<name> */
            id: string;
            namespace: string;
            /** @description The title, else the object's name. */
            name: string;
            /**
             * @description Who started it.
             * @enum {string}
             */
            startedBy: "people" | "automations" | "agents";
            /**
             * @description Archived when its object is gone, else active, else the last outcome.
             * @enum {string}
             */
            status: "created" | "active" | "completed" | "failed" | "cancelled" | "archived";
            /** @description Of its last ended prompt. */
            outcome: ("completed" | "failed" | "cancelled") | null;
            /** @description User name of who sent its first prompt. */
            requestedBy: string | null;
            /** @description Name of its primary Repository. */
            repository: string | null;
            /** @description Prompts that wait or have ended. */
            messageCount: number;
            /** @description US dollars as decimal text, such as 2.5. */
            costUsd: string;
            /** @description Milliseconds since 1970-01-01T00:00:00Z. */
            createdAt: number;
            /** @description Since when it is idle; null while it is at work. */
            idleAt: number | null;
            /** @description When the archive saw that its object had been deleted; null while it is there. */
            goneAt: number | null;
        };
        SessionEvent: {
            /** @description Number of the session's sandbox, from 1. */
            attempt: number;
            /** @description Grows within the attempt; numbers may be missing. */
            seq: number;
            /** @description When the gateway received it, RFC 3339. */
            time: string;
            event: {
                /** @constant */
                kind: "output";
                /** @enum {string} */
                source: "clone" | "setup" | "start" | "agent";
                repository?: string;
                promptUid?: string;
                /** @enum {string} */
                stream: "stdout" | "stderr";
                text: string;
            } | {
                /** @constant */
                kind: "warning";
                /** @enum {string} */
                scope: "setup" | "start" | "output" | "restore" | "save";
                repository?: string;
                message: string;
            } | {
                /** @constant */
                kind: "bootProgress";
                /** @enum {string} */
                phase: "restore" | "clone" | "setup" | "start" | "agent";
                repository?: string;
                /** @description Of a build of a prebuilt image: the commits of the branches, as far as they were found. */
                commits?: {
                    repository: string;
                    commit: string;
                }[];
            } | {
                /** @constant */
                kind: "promptStarted";
                promptUid: string;
            } | {
                /** @constant */
                kind: "tool";
                promptUid: string;
                tool: string;
                title: string;
                state: string;
            } | {
                /**
                 * @description Boot has ended; prompts can start.
                 * @constant
                 */
                kind: "ready";
            } | {
                /** @enum {string} */
                result: "Unchanged" | "Built";
                /** @default [] */
                commits: {
                    repository: string;
                    commit: string;
                }[];
                runtimeVersion: number;
                architecture: string;
                /** @default [] */
                secretFiles: string[];
                /** @default 0 */
                secretFileCount: number;
                /**
                 * @description Clone and setup.sh of a prebuilt image have ended.
                 * @constant
                 */
                kind: "built";
            } | {
                /** @enum {string} */
                phase: "clone" | "setup" | "start" | "skills" | "agent";
                reason: string;
                message: string;
                commits?: {
                    repository: string;
                    commit: string;
                }[];
                /**
                 * @description Boot has failed; the sandbox is ended.
                 * @constant
                 */
                kind: "bootFailed";
            } | {
                prompt: {
                    name: string;
                    uid: string;
                };
                /** @enum {string} */
                verdict: "succeeded" | "failed" | "cancelled";
                message?: string;
                summary?: string;
                branch?: string;
                commit?: string;
                pushes?: {
                    repository: string;
                    branch: string;
                    commit: string;
                }[];
                pullRequest?: {
                    title: string;
                    body: string;
                };
                media?: {
                    files: {
                        /** @description digest is the SHA-256 of the file's bytes: sha256: and 64 digits. */
                        digest: string;
                        /**
                         * @description mediaType is the file's format by its content: image/png, image/jpeg, image/webp, image/gif or video/mp4.
                         * @enum {string}
                         */
                        mediaType: "image/png" | "image/jpeg" | "image/webp" | "image/gif" | "video/mp4";
                        fileName: string;
                        /** @description bytes is the file's size, at most 10 MiB. */
                        bytes: number;
                    }[];
                    /** @description leftOut is how many further files the agent attached that are not sent: beyond the first 5, too large, of another format, or not stored. */
                    leftOut: number;
                };
                usage?: {
                    inputTokens?: number;
                    outputTokens?: number;
                    costUsd?: number;
                    sandboxCostUsd?: number;
                };
                /**
                 * @description A prompt has ended, as the runtime reported it.
                 * @constant
                 */
                kind: "promptFinished";
            } | {
                /**
                 * @description Later events of the session are not kept.
                 * @constant
                 */
                kind: "dropped";
                message: string;
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getCaller: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bearer of the token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The caller's name in Kubernetes. */
                        username: string;
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    listAutomations: {
        parameters: {
            query?: {
                /** @description Only automations of this namespace; without it the caller must be allowed to list them in all. */
                namespace?: string;
                /** @description Only automations whose name or display name contains this, ignoring case and surrounding space. */
                search?: string;
                /** @description Entries a page, 1 to 100; 25 by default. */
                limit?: number;
                /** @description The nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, from a cache. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        automations: components["schemas"]["AutomationSummary"][];
                        hasMore: boolean;
                        /** @description The cursor of the next page; null on the last one. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getAutomation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The automation as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        automation: components["schemas"]["Automation"];
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    listInvocations: {
        parameters: {
            query?: {
                /** @description Entries a page, 1 to 100; 20 by default. */
                limit?: number;
                /** @description The nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        invocations: components["schemas"]["Invocation"][];
                        hasMore: boolean;
                        /** @description The cursor of the next page; null on the last one. */
                        nextCursor: string | null;
                        /** @description False while the archive cannot be read: what it alone has is missing then. */
                        isComplete: boolean;
                        /** @description Namespaces of the list whose oldest history was deleted, as a budget was exceeded: the latest first, 100 at most. Absent where there is none. */
                        trimmed?: components["schemas"]["TrimmedHistory"][];
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the ingress has recorded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The last deliveries with the right key, newest first, at most 100. */
                        deliveries: components["schemas"]["Delivery"][];
                        /** @description Requests that were refused before a key had matched. */
                        refusals: components["schemas"]["RefusedRequests"][];
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    exampleDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description With a new idempotency key each time, and without the key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description For a shell; it takes the key or the signing secret from a variable. */
                        curl: string;
                        /**
                         * @description The name of that variable.
                         * @enum {string}
                         */
                        variable: "RUNWRIGHT_API_KEY" | "RUNWRIGHT_SIGNING_SECRET";
                        /** @description Why the delivery would start no run; null where it would. */
                        problem: string | null;
                    };
                };
            };
            /** @description InvalidRequest, NotAWebhook */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    automationRights: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One answer for each operation, as RBAC is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        listInvocations: boolean;
                        listDeliveries: boolean;
                        trigger: boolean;
                        pause: boolean;
                        resume: boolean;
                        regenerateKey: boolean;
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    pauseAutomation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The automation as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        automation: components["schemas"]["Automation"];
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Conflict, Refused */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description PayloadTooLarge */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UnsupportedMediaType */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    resumeAutomation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The automation as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        automation: components["schemas"]["Automation"];
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Conflict, Refused */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description PayloadTooLarge */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UnsupportedMediaType */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    triggerAutomation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Start although the automation is paused; it stays paused.
                     * @default false
                     */
                    whilePaused?: boolean;
                };
            };
        };
        responses: {
            /** @description It has started. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The Run's name. */
                        invocationId: string;
                        runs: {
                            /** @description The session's name. */
                            id: string;
                            /** @description What the session works on, as kind/name; null for an empty workspace. In the archive it is the primary Repository. */
                            target: string | null;
                            /** @enum {string} */
                            state: "running" | "completed" | "failed";
                            /** @description Null unless failed; the archive does not keep it. */
                            failureReason: string | null;
                        }[];
                    };
                };
            };
            /** @description It is recorded; the controller has not decided about it yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The Run's name. */
                        invocationId: string;
                        runs: {
                            /** @description The session's name. */
                            id: string;
                            /** @description What the session works on, as kind/name; null for an empty workspace. In the archive it is the primary Repository. */
                            target: string | null;
                            /** @enum {string} */
                            state: "running" | "completed" | "failed";
                            /** @description Null unless failed; the archive does not keep it. */
                            failureReason: string | null;
                        }[];
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description AutomationPaused, ConcurrentRunActive, RunSkipped, Conflict, Refused */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description PayloadTooLarge */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UnsupportedMediaType */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    regenerateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Only if the automation has no key yet; else 409.
                     * @default false
                     */
                    create?: boolean;
                };
            };
        };
        responses: {
            /** @description The new key. No replica accepts the old one any more. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The key, the token or the signing secret, as authenticationType says. Shown only in this response. */
                        webhookApiKey: string;
                        webhookUrl: string;
                        /**
                         * @description How the sender uses the key: in Authorization, to sign with, or in a header of its own.
                         * @enum {string}
                         */
                        authenticationType: "Bearer" | "HMAC" | "Header";
                    };
                };
            };
            /** @description InvalidRequest, NotAWebhook */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description KeyExists, KeyManagedBySecret, Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description PayloadTooLarge */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UnsupportedMediaType */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    setSigningSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The secret with which the sender signs, 16 to 256 printable ASCII characters; for Standard Webhooks whsec_ and base64. Never shown again. */
                    secret: string;
                    /**
                     * @description The secret that was valid until now stays valid until the next one is set; by default it stops at once.
                     * @default false
                     */
                    keepPrevious?: boolean;
                };
            };
        };
        responses: {
            /** @description Every replica takes signatures of the new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Where the sender posts its deliveries. */
                        webhookUrl: string;
                    };
                };
            };
            /** @description InvalidRequest, NotSigned */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description KeyManagedBySecret, Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description PayloadTooLarge */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UnsupportedMediaType */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description Only sessions of this namespace; without it the caller must be allowed to list them in all. */
                namespace?: string;
                /** @description Entries a page, 1 to 100; 25 by default. */
                limit?: number;
                /** @description The nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, from a cache. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sessions: components["schemas"]["Session"][];
                        hasMore: boolean;
                        /** @description The cursor of the next page; null on the last one. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        session: components["schemas"]["Session"];
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    sessionRights: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One answer for each operation, as RBAC is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        readEvents: boolean;
                        listPrompts: boolean;
                        getPrompts: boolean;
                        createPrompt: boolean;
                        stop: boolean;
                        cancel: boolean;
                        openTunnels: boolean;
                        getPullRequest: boolean;
                        requestPullRequest: boolean;
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    stopSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Nothing is processed, or it has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The prompt that was processed; null without one. */
                        prompt: components["schemas"]["PromptSummary"] | null;
                    };
                };
            };
            /** @description It is being cancelled. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The prompt that was processed; null without one. */
                        prompt: components["schemas"]["PromptSummary"] | null;
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Conflict, Refused */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description PayloadTooLarge */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UnsupportedMediaType */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    cancelSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description All of them have ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The prompts that were unfinished, the processed one last. */
                        prompts: components["schemas"]["PromptSummary"][];
                    };
                };
            };
            /** @description They are being cancelled. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The prompts that were unfinished, the processed one last. */
                        prompts: components["schemas"]["PromptSummary"][];
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Conflict, Refused */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description PayloadTooLarge */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UnsupportedMediaType */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    listPrompts: {
        parameters: {
            query?: {
                /** @description Entries a page, 1 to 100; 20 by default. */
                limit?: number;
                /** @description The nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        prompts: components["schemas"]["PromptSummary"][];
                        hasMore: boolean;
                        /** @description The cursor of the next page; null on the last one. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    createPrompt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Text for the agent, at most 64,000 characters; may be blank only with images. */
                    text: string;
                    /** @description Images that were uploaded to the session, at most 6, in their order. */
                    images?: {
                        /** @description digest is the SHA-256 of the image's bytes, as the upload returns it: sha256: and 64 digits. */
                        digest: string;
                        /**
                         * @description mediaType is the image's format: image/png, image/jpeg, image/webp or image/gif.
                         * @enum {string}
                         */
                        mediaType: "image/png" | "image/jpeg" | "image/webp" | "image/gif";
                        /** @description fileName is the image's name for people, at most 255 characters; it has no effect. */
                        fileName?: string;
                    }[];
                    /** @description Idempotency key, at most 128 characters: a repeated request with the same text and images gives the same prompt. */
                    clientRequestId?: string;
                };
            };
        };
        responses: {
            /** @description It was accepted. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        prompt: components["schemas"]["Prompt"];
                    };
                };
            };
            /** @description It is stored; the controller has not decided about it yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        prompt: components["schemas"]["Prompt"];
                    };
                };
            };
            /** @description InvalidRequest, ImageNotFound */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description RequestConflict, CostLimitReached, Conflict, Refused */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description PayloadTooLarge */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UnsupportedMediaType */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description QueueFull */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getPrompt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
                /** @description The Prompt's name. */
                promptId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The prompt as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        prompt: components["schemas"]["Prompt"];
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    cancelPrompt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
                /** @description The Prompt's name. */
                promptId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description It has ended; its status says how. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        prompt: components["schemas"]["Prompt"];
                    };
                };
            };
            /** @description It is being cancelled. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        prompt: components["schemas"]["Prompt"];
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Conflict, Refused */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description PayloadTooLarge */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UnsupportedMediaType */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getPullRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
                /** @description The Prompt's name. */
                promptId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As the connector last wrote it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The branch that the prompt ended with; null without one. Not verified. */
                        branch: string | null;
                        /** @description What asking for it does now: opens it, tries anew to open it, or reads its state at GitHub. Null where another session owns it, without a branch, and where the obstacle is base_branch. */
                        wish: ("open" | "try_again" | "read_state") | null;
                        /** @description When it was asked for on this prompt, where that has not been followed yet, in milliseconds since 1970-01-01T00:00:00Z; else null. A request counts for a day. */
                        requestedAt: number | null;
                        /** @description Why it is not opened: no Integration of the namespace has github.pullRequests and the session's first Repository, though it can be asked for; or pull requests of that Repository go into this very branch (base_branch). Null where it is opened, or is open. */
                        obstacle: ("no_integration" | "base_branch") | null;
                        /** @description Null where none is made yet. */
                        pullRequest: components["schemas"]["PullRequest"] | null;
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    requestPullRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
                /** @description The Prompt's name. */
                promptId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description It was done or refused by GitHub; or nothing was asked, as another session owns it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The branch that the prompt ended with; null without one. Not verified. */
                        branch: string | null;
                        /** @description What asking for it does now: opens it, tries anew to open it, or reads its state at GitHub. Null where another session owns it, without a branch, and where the obstacle is base_branch. */
                        wish: ("open" | "try_again" | "read_state") | null;
                        /** @description When it was asked for on this prompt, where that has not been followed yet, in milliseconds since 1970-01-01T00:00:00Z; else null. A request counts for a day. */
                        requestedAt: number | null;
                        /** @description Why it is not opened: no Integration of the namespace has github.pullRequests and the session's first Repository, though it can be asked for; or pull requests of that Repository go into this very branch (base_branch). Null where it is opened, or is open. */
                        obstacle: ("no_integration" | "base_branch") | null;
                        /** @description Null where none is made yet. */
                        pullRequest: components["schemas"]["PullRequest"] | null;
                    };
                };
            };
            /** @description It is asked for; the connector has not done it yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The branch that the prompt ended with; null without one. Not verified. */
                        branch: string | null;
                        /** @description What asking for it does now: opens it, tries anew to open it, or reads its state at GitHub. Null where another session owns it, without a branch, and where the obstacle is base_branch. */
                        wish: ("open" | "try_again" | "read_state") | null;
                        /** @description When it was asked for on this prompt, where that has not been followed yet, in milliseconds since 1970-01-01T00:00:00Z; else null. A request counts for a day. */
                        requestedAt: number | null;
                        /** @description Why it is not opened: no Integration of the namespace has github.pullRequests and the session's first Repository, though it can be asked for; or pull requests of that Repository go into this very branch (base_branch). Null where it is opened, or is open. */
                        obstacle: ("no_integration" | "base_branch") | null;
                        /** @description Null where none is made yet. */
                        pullRequest: components["schemas"]["PullRequest"] | null;
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NoBranch, Conflict, Refused */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description PayloadTooLarge */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UnsupportedMediaType */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    analyticsSummary: {
        parameters: {
            query?: {
                /** @description Only sessions of this namespace; without it the caller must be allowed to list them in all. */
                namespace?: string;
                /** @description Sessions that were created in so many times 24 hours until now; 30 by default. */
                days?: "7" | "14" | "30" | "90";
                /** @description Sessions that people, automations or agents started, or all. */
                scope?: "people" | "automations" | "agents" | "all";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The figures, at most 10 seconds old. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnalyticsSummary"];
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    analyticsTimeseries: {
        parameters: {
            query?: {
                /** @description Only sessions of this namespace; without it the caller must be allowed to list them in all. */
                namespace?: string;
                /** @description Sessions that were created in so many times 24 hours until now; 30 by default. */
                days?: "7" | "14" | "30" | "90";
                /** @description Sessions that people, automations or agents started, or all. */
                scope?: "people" | "automations" | "agents" | "all";
                /** @description Group by who sent a session its first prompt, by its primary Repository or by the Automation of its Run. */
                by?: "user" | "repository" | "automation";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The figures, at most 10 seconds old. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnalyticsSeries"];
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    analyticsBreakdown: {
        parameters: {
            query?: {
                /** @description Only sessions of this namespace; without it the caller must be allowed to list them in all. */
                namespace?: string;
                /** @description Sessions that were created in so many times 24 hours until now; 30 by default. */
                days?: "7" | "14" | "30" | "90";
                /** @description Sessions that people, automations or agents started, or all. */
                scope?: "people" | "automations" | "agents" | "all";
                /** @description Group by who sent a session its first prompt, by its primary Repository or by the Automation of its Run. */
                by?: "user" | "repository" | "automation";
                /** @description Entries a page, 1 to 100; 100 by default. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The figures, at most 10 seconds old. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnalyticsBreakdown"];
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    analyticsPullRequests: {
        parameters: {
            query?: {
                /** @description Only pullrequests of this namespace; without it the caller must be allowed to list them in all. */
                namespace?: string;
                /** @description Pull requests that were created, or merged, in so many times 24 hours until now; 30 by default. */
                days?: "7" | "14" | "30" | "90";
                /** @description Entries a page, 1 to 100; 100 by default. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The figures, at most 10 seconds old. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnalyticsPullRequests"];
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    listArchivedRuns: {
        parameters: {
            query?: {
                /** @description Only runs of this namespace; without it the caller must be allowed to list them in all. */
                namespace?: string;
                /** @description Entries a page, 1 to 100; 25 by default. */
                limit?: number;
                /** @description The nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, a few seconds old. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        invocations: components["schemas"]["Invocation"][];
                        hasMore: boolean;
                        /** @description The cursor of the next page; null on the last one. */
                        nextCursor: string | null;
                        /** @description Namespaces of the list whose oldest history was deleted, as a budget was exceeded: the latest first, 100 at most. Absent where there is none. */
                        trimmed?: components["schemas"]["TrimmedHistory"][];
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    listArchivedSessions: {
        parameters: {
            query?: {
                /** @description Only sessions of this namespace; without it the caller must be allowed to list them in all. */
                namespace?: string;
                /** @description Entries a page, 1 to 100; 25 by default. */
                limit?: number;
                /** @description The nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, a few seconds old. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sessions: components["schemas"]["ArchivedSession"][];
                        hasMore: boolean;
                        /** @description The cursor of the next page; null on the last one. */
                        nextCursor: string | null;
                        /** @description Namespaces of the list whose oldest history was deleted, as a budget was exceeded: the latest first, 100 at most. Absent where there is none. */
                        trimmed?: components["schemas"]["TrimmedHistory"][];
                    };
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    streamSessionEvents: {
        parameters: {
            query?: {
                /** @description Whether to wait for new events; with false the stream ends after the stored ones. */
                follow?: "true" | "false";
                /** @description Begins with the newest stored events: so many bytes of them, in pieces of about 32 KiB and at least one. Where there are older ones, the stream's first event is named older. Without it the stream begins with the first of all; after Last-Event-ID it does nothing. */
                last?: number;
                /** @description Only stored events before this one, the before of an event named older; the stream ends after them. */
                before?: string;
            };
            header?: {
                /** @description The id of the last event that was read. */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description <namespace>.<name> */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    streamImageEvents: {
        parameters: {
            query?: {
                /** @description Whether to wait for new events; with false the stream ends after the stored ones. */
                follow?: "true" | "false";
                /** @description Begins with the newest stored events: so many bytes of them, in pieces of about 32 KiB and at least one. Where there are older ones, the stream's first event is named older. Without it the stream begins with the first of all; after Last-Event-ID it does nothing. */
                last?: number;
                /** @description Only stored events before this one, the before of an event named older; the stream ends after them. */
                before?: string;
            };
            header?: {
                /** @description The id of the last event that was read. */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description <namespace>.<name> */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    uploadImage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description It is stored; a prompt names it by digest and mediaType. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        image: {
                            /** @description digest is the SHA-256 of the image's bytes, as the upload returns it: sha256: and 64 digits. */
                            digest: string;
                            /**
                             * @description mediaType is the image's format: image/png, image/jpeg, image/webp or image/gif.
                             * @enum {string}
                             */
                            mediaType: "image/png" | "image/jpeg" | "image/webp" | "image/gif";
                            /** @description Bytes. */
                            size: number;
                        };
                    };
                };
            };
            /** @description InvalidRequest, NotAnImage */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description TooManyImages, NoRoom */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description PayloadTooLarge */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UnsupportedMediaType */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    downloadMedia: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description <namespace>.<name> */
                id: string;
                /** @description The Prompt's name. */
                promptId: string;
                /** @description 64 digits of the file's digest and what its type's names end with. */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file, whose content nobody has checked but for its format. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                    "image/jpeg": string;
                    "image/webp": string;
                    "image/gif": string;
                    "video/mp4": string;
                };
            };
            /** @description InvalidRequest */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NotFound */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Busy, Unavailable */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
}
