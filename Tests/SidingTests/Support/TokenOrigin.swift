// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSynchronization
import SidingTesting

/// Counts the tokens it gives, to whoever brings the secret of now.
final class TokenOrigin: TransportFactory {
    struct State {
        var secret = "s3cret-1"
        var given = 0
        var forms: [String] = []
        /// What it gives as refresh token; nil for a new one with each token.
        var refreshToken: String?
        /// What happens while a request is refused.
        var atRefusal: (@Sendable () async -> Void)?
    }

    let state = Mutex(State())

    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        ScriptedTransport { asked in
            let answer = self.answer(asked)
            guard case .reply(let response, _, _) = answer, response.status == .unauthorized else { return answer }
            await self.state.withLock(\.atRefusal)?()
            return answer
        }
    }

    private func answer(_ asked: ScriptedTransport.Request) -> ScriptedAnswer {
        state.withLock { state in
            guard asked.request.path == "/token" else {
                let isOpen =
                    asked.request.headerFields[.authorization] == "Bearer t\(state.given)" && state.given > 0
                return .status(isOpen ? .created : .unauthorized)
            }
            let form = String(decoding: asked.body, as: UTF8.self)
            state.forms.append(form)
            guard form.contains("client_secret=\(state.secret)") else {
                return .text(#"{"error":"invalid_client"}"#, status: .unauthorized)
            }
            state.given += 1
            let refreshToken = state.refreshToken ?? "r\(state.given)"
            return .text(
                #"{"access_token":"t\#(state.given)","refresh_token":"\#(refreshToken)","expires_in":3600}"#)
        }
    }
}
