// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes

/// What is shown instead of a page that could not be made.
struct ProblemScreen: Screen {
    static let template = "problem"

    let title: String
    let command: String? = nil
    let message: String
    let hint: String?

    init(_ problem: ServiceProblem) {
        title = "\(problem.status.code) \(problem.status.reasonPhrase)"
        (message, hint) = (problem.message, problem.hint)
    }
}
