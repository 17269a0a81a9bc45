/** `action_id` of the button under an answer that asks for the pull request of its branch. */
export const pullRequestAction = "pull-request";
