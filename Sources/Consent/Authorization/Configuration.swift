package import LineProtocol

extension Authorization {
  /// The settings of the gateway that affect the authorizations of apps.
  package struct Configuration: Hashable, Sendable {
    /// Whether a press of the button gives a fix to every waiting app that needs no prompt. If false, a press gives a
    /// fix to one app only.
    package var pressServesAll = false
    /// How long a request waits for a press of the button if the request names no timeout.
    package var armTimeout: Duration = .seconds(300)
    /// The apps that each button serves, by the name of the button. A button without an entry serves every app.
    package var boundApps: [String: Set<AppID>] = [:]
    /// Whether at least one button serves every app.
    package var hasButtonForAllApps = true
    /// The maximum time between the two releases of a button in a double press, by the name of the button. A button
    /// without an entry uses `Bounds.doublePress`.
    package var doublePress: [String: Duration] = [:]
    /// The apps that must never receive a location. Their status is `restricted`, even if the stored record of an app
    /// contains another status.
    package var restrictedApps: Set<AppID> = []
    /// The accuracy that a new app gets, by app. For an app that already has a record, this accuracy is an upper limit.
    package var newAppAccuracy: [AppID: FixAccuracy] = [:]
    package var defaultAccuracy: FixAccuracy = .full
    /// The apps that run on wall displays. An app of this kind counts as in use as long as its client is connected.
    package var displays: Set<AppID> = []

    package init() {}
  }

  /// The time limits of the authorization rules, which protect the user from apps that try to get an unintended fix.
  package enum Bounds {
    /// How long the effect of the next press of the button must stay the same before the press. The user can see the
    /// effect during this time (authorization reference, row A9).
    package static let markBeforePress: Duration = .seconds(1)
    /// The maximum time from the push of the button until the gateway handles the press: the longest hold time (10 s)
    /// plus `grantLife`.
    package static let latestPress: Duration = .seconds(10) + grantLife
    /// How long a grant (the permission for one fix) is valid after the release of the button. The wait for the first
    /// fix without a press has the same limit.
    package static let grantLife: Duration = .seconds(60)
    /// How long a grant (the permission for one fix) is valid if the client fetches the fix later, with the gpsd
    /// command `?POLL` (authorization reference, row A8).
    package static let pollingGrantLife = rest
    /// How long the gateway keeps a fix for a client that fetches the fix later with the gpsd command `?POLL`.
    package static let keptFix: Duration = .seconds(10)
    /// The maximum age of the receiver's data for a one-time fix at the instant at which the user pushes the button
    /// down.
    package static let oldestEpoch: Duration = .seconds(2)
    /// The maximum age of the receiver's data for a fix that needs no press of the button.
    package static let oldestStandingEpoch: Duration = .seconds(60)
    /// The pause in which a further press of the button gives no app a fix. The pause begins when the fix for a press
    /// is delivered, or when its delivery fails (authorization reference, row A8).
    package static let rest: Duration = .seconds(2)
    package static let longestArm: Duration = .seconds(3600)
    package static let longestImplicitArm: Duration = .seconds(86_400)

    /// How long a press of the button can answer one prompt (a question to the user).
    package static let promptLife: Duration = .seconds(10)
    /// How long a prompt (a question to the user) stays open if no press of the button opened the prompt.
    package static let askLife: Duration = .seconds(60)
    /// The minimum time since the latest press or release before a press can answer a prompt that no press opened.
    /// Without this wait, a press for another purpose could answer a new prompt.
    package static let quiet: Duration = .seconds(2)
    /// The maximum time between the two releases of a button in a double press, if the configuration names no other
    /// time.
    package static let doublePress: Duration = .milliseconds(400)
    /// The duration of the first pause of an app after the user did not answer a prompt that a press of the button
    /// opened. The pause doubles with each further unanswered prompt about the app, up to `longestPause`.
    package static let firstButtonPause: Duration = .seconds(600)
    package static let firstOtherPause: Duration = .seconds(3600)
    package static let longestPause: Duration = .seconds(86_400)
    /// How long an app is still told the status `always` after the user refused this status (authorization reference,
    /// row B5).
    package static let alwaysSeen: Duration = .seconds(86_400)
    /// The longest duration of a temporary authorization from an owner (authorization reference, row D6).
    package static let longestTimeLimit: Duration = .seconds(30 * 86_400)

    /// How long an app counts as in use after the user's latest action for the app, for example a press of the button.
    package static let useMax: Duration = .seconds(15 * 60)
    /// The maximum duration of updates that continue in the background (authorization reference, row C3).
    package static let backgroundMax: Duration = .seconds(8 * 3600)
    /// The maximum total time for which a session may be disconnected, or in use in the background. Each action of the
    /// user for the app starts a new period.
    package static let grace: Duration = .seconds(5)
    /// The time between two checks whether the indicator (the LED) is visible. The checks happen while an app gets
    /// fixes without a press of the button (authorization reference, row C6).
    package static let legibilityPeriod: Duration = .seconds(1)
  }
}
