extension Authorization {
  /// The owner's configuration.
  package struct Configuration: Hashable, Sendable {
    /// Whether a press serves every app that needs no prompt, instead of one app.
    package var pressServesAll = false
    /// The lifetime of an arm if the app does not give one.
    package var armTimeout: Duration = .seconds(300)
    /// The apps to which a button is bound. A button that is not listed serves every app.
    package var boundApps: [String: Set<AppID>] = [:]
    /// The maximum duration of a double press of a button, if it differs from the default.
    package var doublePress: [String: Duration] = [:]
    /// The apps whose status is `restricted`, whatever their records contain.
    package var restrictedApps: Set<AppID> = []
    /// The accuracy of a new app. The value `reduced` also applies to known apps.
    package var newAppAccuracy: [AppID: Accuracy] = [:]
    package var defaultAccuracy: Accuracy = .full
    /// The wall displays. They are in use while they are connected.
    package var displays: Set<AppID> = []

    package init() {}
  }

  /// The bounds of the contract. Each prevents a way to get a location without the user's intention.
  package enum Bounds {
    /// The minimum time between the acceptance of an arm and the down edge of a press that serves it.
    package static let armBeforePress: Duration = .milliseconds(300)
    /// The lifetime of a grant after the release of the button. Also the maximum time that a standing request or
    /// updates wait for the first fix.
    package static let grantLife: Duration = .seconds(60)
    /// The maximum age of the epoch of a one-time fix at the press.
    package static let oldestEpoch: Duration = .seconds(2)
    /// The maximum age of the epoch of a fix under a standing authorization.
    package static let oldestStandingEpoch: Duration = .seconds(60)
    /// The time after the end of a fix for a press in which further presses serve no app. (A8)
    package static let rest: Duration = .seconds(2)
    package static let longestArm: Duration = .seconds(3600)
    package static let longestImplicitArm: Duration = .seconds(86_400)

    /// The time for which the button answers a prompt.
    package static let promptLife: Duration = .seconds(10)
    /// The lifetime of a prompt that no press opened. Its app waits this long for an answer, independently of other
    /// apps.
    package static let askLife: Duration = .seconds(60)
    /// The minimum time between the instant at which the button begins to answer a prompt and the down edge of a press
    /// that answers it. Also the minimum time between the end of this period and the down edge of a press that serves
    /// an app, unless a press ended the period.
    package static let promptGuard: Duration = .seconds(1)
    /// The time without an edge after which the button begins to answer a prompt that no press opened. Before that, the
    /// user may be about to press for another reason.
    package static let quiet: Duration = .seconds(2)
    /// The maximum time between the releases of two presses that are a double press, unless the configuration gives
    /// another one.
    package static let doublePress: Duration = .milliseconds(400)
    /// The first pauses after a prompt without an answer: `firstButtonPause` if a press opened it (A1, A4), otherwise
    /// `firstOtherPause`. Pauses double up to `longestPause`.
    package static let firstButtonPause: Duration = .seconds(600)
    package static let firstOtherPause: Duration = .seconds(3600)
    package static let longestPause: Duration = .seconds(86_400)
    /// The minimum time for which an app sees `always` after the user refused it. (B5)
    package static let alwaysSeen: Duration = .seconds(86_400)

    /// The time after the user's last act for the app at which its use ends.
    package static let useMax: Duration = .seconds(15 * 60)
    /// The time after their start at which updates in the background end. (C3)
    package static let backgroundMax: Duration = .seconds(8 * 3600)
    /// The total time between two acts of the user that a session may be disconnected, or in use in the background.
    package static let grace: Duration = .seconds(5)
    /// The time between two checks of legibility during standing use. (C6)
    package static let legibilityPeriod: Duration = .seconds(1)
  }
}
