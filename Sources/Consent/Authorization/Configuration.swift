package import LineProtocol

extension Authorization {
  /// The owner's configuration.
  package struct Configuration: Hashable, Sendable {
    /// Whether a press gives a fix to every waiting app that needs no prompt. If false, a press gives a fix to one app
    /// only.
    package var pressServesAll = false
    /// The time for which a request waits for a press, if the app gives no time.
    package var armTimeout: Duration = .seconds(300)
    /// The apps that a button serves, by the name of the button. A button without an entry serves every app.
    package var boundApps: [String: Set<AppID>] = [:]
    /// The maximum time between the releases of a double press, by the name of the button. A button without an entry
    /// has the default, `Bounds.doublePress`.
    package var doublePress: [String: Duration] = [:]
    /// The apps whose status is `restricted`. Their stored records have no effect.
    package var restrictedApps: Set<AppID> = []
    /// The accuracy that the configuration sets for new apps, by app. The value `reduced` also lowers the accuracy of
    /// known apps.
    package var newAppAccuracy: [AppID: FixAccuracy] = [:]
    package var defaultAccuracy: FixAccuracy = .full
    /// The apps that are displays on a wall. Such an app counts as in use while it is connected.
    package var displays: Set<AppID> = []

    package init() {}
  }

  /// The limits of the authorization rules. Each limit protects the user from an app that tries to get a location
  /// without the user's intention.
  package enum Bounds {
    /// The minimum time between the acceptance of a request and the down edge of a press that serves this request.
    package static let armBeforePress: Duration = .milliseconds(300)
    /// The time for which a grant is valid after the release of the button. Requests and updates under a standing
    /// authorization wait for their first fix for at most the same time.
    package static let grantLife: Duration = .seconds(60)
    /// The maximum age of a one-time fix. The age is the time from the fix's epoch to the down edge of the press.
    package static let oldestEpoch: Duration = .seconds(2)
    /// The maximum age of a fix under a standing authorization. The age is counted from the fix's epoch.
    package static let oldestStandingEpoch: Duration = .seconds(60)
    /// The length of the pause after the fix for a press was delivered or ended without a delivery. In this pause a
    /// press gives no app a fix. (A8)
    package static let rest: Duration = .seconds(2)
    package static let longestArm: Duration = .seconds(3600)
    package static let longestImplicitArm: Duration = .seconds(86_400)

    /// The time for which a press of the button can answer a prompt.
    package static let promptLife: Duration = .seconds(10)
    /// The time for which a prompt stays open if no press opened the prompt. The app that caused the prompt waits this
    /// long for an answer. Other apps have no effect on this time.
    package static let askLife: Duration = .seconds(60)
    /// The time in which presses have no effect, after the button begins to answer a prompt and after it stops
    /// answering the prompt. The user may not have noticed the change yet. If a press answered the prompt, the next
    /// press has an effect at once.
    package static let promptGuard: Duration = .seconds(1)
    /// The minimum time without an edge before the button begins to answer a prompt that no press opened. A user who
    /// has just touched the button may be about to press it for another reason.
    package static let quiet: Duration = .seconds(2)
    /// The default maximum time between the releases of the two presses of a double press.
    package static let doublePress: Duration = .milliseconds(400)
    /// The length of the pause after the first unanswered prompt about an app. In the pause, requests of the app open
    /// no prompt. The length is `firstButtonPause` if a press opened the prompt (A1, A4), and `firstOtherPause`
    /// otherwise. The length doubles with each further unanswered prompt, up to `longestPause`.
    package static let firstButtonPause: Duration = .seconds(600)
    package static let firstOtherPause: Duration = .seconds(3600)
    package static let longestPause: Duration = .seconds(86_400)
    /// The minimum time for which an app continues to see the status `always` after the user refused that status. (B5)
    package static let alwaysSeen: Duration = .seconds(86_400)

    /// The time for which an app counts as in use after the user's last act for the app.
    package static let useMax: Duration = .seconds(15 * 60)
    /// The maximum duration of updates that an app started with `background`. (C3)
    package static let backgroundMax: Duration = .seconds(8 * 3600)
    /// The grace period: the total time for which a session may be disconnected, or in use in the background, between
    /// two acts of the user.
    package static let grace: Duration = .seconds(5)
    /// The time between two checks whether a user can see the indicator, while an app gets fixes without a press. (C6)
    package static let legibilityPeriod: Duration = .seconds(1)
  }
}
