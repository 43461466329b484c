package import LineProtocol

extension Authorization {
  /// The owner's configuration.
  package struct Configuration: Hashable, Sendable {
    /// Whether a press gives a fix to every waiting app that needs no prompt. If false, a press gives a fix to one app
    /// only.
    package var pressServesAll = false
    /// The time for which a request waits for a press, if the app gives no time.
    package var armTimeout: Duration = .seconds(300)
    /// The apps that can get a fix by a press of a button, by the name of the button. A button without an entry serves
    /// every app.
    package var boundApps: [String: Set<AppID>] = [:]
    /// The maximum time between the two releases of a double press, by the name of the button. A button without an
    /// entry has the default, `Bounds.doublePress`.
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
  /// although the user did not intend this.
  package enum Bounds {
    /// The minimum time between the acceptance of a request and the down edge of a press that permits a fix for this
    /// request.
    package static let armBeforePress: Duration = .milliseconds(300)
    /// The time for which a grant is valid after the release of the button. A request or updates under a standing
    /// authorization wait for their first fix for at most this time.
    package static let grantLife: Duration = .seconds(60)
    /// The maximum age of a one-time fix. The age is the time from the fix's epoch to the down edge of the press.
    package static let oldestEpoch: Duration = .seconds(2)
    /// The maximum age of a fix under a standing authorization. The age is the time from the fix's epoch to the
    /// present.
    package static let oldestStandingEpoch: Duration = .seconds(60)
    /// The length of a pause in which a press gives no app a fix. The pause begins when the fix for an earlier press
    /// was delivered, or when the delivery of that fix ended without success. (A8)
    package static let rest: Duration = .seconds(2)
    package static let longestArm: Duration = .seconds(3600)
    package static let longestImplicitArm: Duration = .seconds(86_400)

    /// The time for which a press of the button can answer a prompt.
    package static let promptLife: Duration = .seconds(10)
    /// The time for which a prompt stays open if no press opened the prompt. The app that caused the prompt waits this
    /// long for an answer. Other apps have no effect on this time.
    package static let askLife: Duration = .seconds(60)
    /// The time for which presses have no effect after the button begins to answer a prompt. Presses also have no
    /// effect for this time after the button stops answering the prompt. The user may not have noticed the change yet.
    /// But if a press answered the prompt, the next press has an effect at once.
    package static let promptGuard: Duration = .seconds(1)
    /// The minimum time without an edge, which is a press or release of a button, before the button begins to answer a
    /// prompt that no press opened. A user who has just touched the button may intend to press it for some other
    /// reason.
    package static let quiet: Duration = .seconds(2)
    /// The default maximum time between the releases of the two presses of a double press.
    package static let doublePress: Duration = .milliseconds(400)
    /// The length of the pause after the first unanswered prompt about an app. In the pause, requests of the app open
    /// no prompt. The length is `firstButtonPause` if a press opened the prompt (A1, A4). If no press opened the
    /// prompt, the length is `firstOtherPause`. The length doubles with each further unanswered prompt, up to
    /// `longestPause`.
    package static let firstButtonPause: Duration = .seconds(600)
    package static let firstOtherPause: Duration = .seconds(3600)
    package static let longestPause: Duration = .seconds(86_400)
    /// The minimum time for which an app continues to see the status `always` after the user refused that status. (B5)
    package static let alwaysSeen: Duration = .seconds(86_400)

    /// The time for which an app counts as in use after the user last did something for the app.
    package static let useMax: Duration = .seconds(15 * 60)
    /// The maximum duration of updates that an app started with `background`. (C3)
    package static let backgroundMax: Duration = .seconds(8 * 3600)
    /// The grace period: the total time for which a session may be disconnected, or in use in the background. The time
    /// starts again whenever the user does something for the app.
    package static let grace: Duration = .seconds(5)
    /// The time between two checks whether a user can see the indicator. The gateway makes these checks while an app
    /// gets fixes under a right that needs no press. (C6)
    package static let legibilityPeriod: Duration = .seconds(1)
  }
}
