// The phrases in the table `texts.tsv`, which has their texts. Comments at the cases explain the texts to translators.

/// Texts for users that name the accuracy of an app's fixes. The raw values are words of the gateway's text-line
/// protocol.
package enum AccuracyPhrase: String, Phrase {
  case full, reduced, place

  package var room: Int? { 12 }
}

/// Texts for users that explain a press and a hold (long press) of the button while a prompt (a question to the user)
/// is shown.
package enum AnswerPhrase: Phrase {
  case pressAgain, press, once, onceOrTwice, unchanged, refused
  /// The text "Button {value}." with the names of the buttons to which the next text refers, if it does not refer to
  /// all buttons.
  case ofButton
  /// The text "The next press answers this": the next press of the button answers the shown prompt.
  case answers
  /// The text "The next press is for {app}": the next press gives a fix to the app, and does not answer the shown
  /// prompt.
  case serves
  /// The text "The button does not answer this", about a closed prompt (a question to the user).
  case elsewhere
  /// Texts with the reason why the next press of the button does not answer the shown prompt (a question to the user).
  case anotherButton, anotherQuestion, anotherApp, afterFix, timeOver
  case hold
  /// The text "Hold: no, and stop all sharing", about a hold (long press) of the button while a prompt is shown.
  case holdAndStop
  /// The text "Hold: stop all sharing": a hold (long press) of the button does not answer the shown prompt.
  case stop

  /// The maximum width: 68 columns of a terminal. A label is printed to the left of the text.
  package var room: Int? { 68 }
}

/// Texts about apps: their state, authorization, accuracy and keys.
package enum AppPhrase: Phrase {
  case app, name, status, accuracy, now, sessions, pause, inUse, waits, next, fixes, backgroundFixes, idle, provisional
  /// The text "{app} waits: press the button".
  case waitsForPress
  /// The text "{app} waits: press the button {value}", on a board with several buttons.
  case waitsForButton
  case noApps, isNow, used, unused, forgotten, keyMade, tokenMade
  /// The label "Until" before the time at which an app's temporary authorization ends.
  case until
  /// The text "{value} until {time}": an authorization and its end, for example "Always until 14:30".
  case endsAt
  /// The text "then {value}": the authorization that applies after a temporary authorization has ended.
  case afterwards
}

/// Texts of the answers that a user can give to a prompt (a question about an app). The raw values are words of the
/// gateway's text-line protocol.
package enum ChoicePhrase: String, Phrase {
  case yes, once, whileUsing = "while-using", always, keep, no

  package var room: Int? { 20 }
}

/// Texts of the console: a terminal or a serial port on which an owner types commands.
package enum ConsolePhrase: Phrase {
  case wrongPIN, wait, greeting, ended, idle, gatewayLost, gatewayFound, noAnswer, help, quit

  package var room: Int? {
    switch self {
    // The description is printed beside the name of the command.
    case .help, .quit: 48
    case .wrongPIN, .wait, .greeting, .ended, .idle, .gatewayLost, .gatewayFound, .noAnswer: nil
    }
  }
}

/// Texts with the reason why the gateway refused an owner's command.
package enum FailurePhrase: Phrase {
  case noSuchApp
  /// The error for a temporary authorization that the app already has without an end.
  case noEnd
  case noKey, noPage, noSuchPlace, noSuchChoice, nothingAsked, tooLate
  /// The error for an answer that an owner gave too soon after a prompt appeared. `{text}` stands for the prompt.
  case promptTooRecent
  case locked, tooFast, store, notSaved, ending, other
}

/// Texts about the state of the gateway, its connections, its log and its warnings.
package enum GatewayPhrase: Phrase {
  case gateway, onBoard, light, off, acquiring, inUse, background, prompt, locked, nothingWaiting, notSaved, unsaved,
    question, waiting, eachPress, next, nextOfButton
  /// A text from an app between quotation marks.
  case quotation
  /// The label "Last press" before a `PressPhrase`, which is the effect of the latest press of the button.
  case lastPress
  /// The text "not delivered: {value}" after a `PressPhrase`: the outputs that did not get the fix of the press.
  case undelivered
  /// The text "{count} s left": the time that remains for an answer to a prompt (a question to the user).
  case left
  case connections, broker, brokerThere, brokerAway, brokerAwayUntimed, brokerUnverified
  case output, outputReady, outputAway
  /// The text about an output or a broker for which no further fix may wait.
  case outputFull
  case listener, listenerClosed, listenerClosedSince, appOff, appWithoutUser
  case log, logUnchecked, logGood, logFailing, logUnreadable, logBroken
  case fault, warnings
}

/// Texts of the disclosure log, which has an entry for every release of location data to an app.
package enum LogPhrase: Phrase {
  case time, entry, what, once, byRight, fromNowOn, simulated, late, acknowledged, sent
  /// The text of a log entry: the app was notified that the device entered or left a region, but received no fix.
  case border
  case borderTold, expired, erased, postponed
  /// The text of a log entry: a web server refused the fix `{number}` finally, so that the fix is lost.
  case refused
  case lost, ended, endedAfterOne, stopped, outOfUse, revoked, locked, indicator, shutdown, endLost, noEntries
  /// Texts of a log entry about an answer to a prompt (a question to the user), and about the place of the answer.
  case answer, answerWithPurpose, atButton, atConsole, onPage, byUser
  /// The text of a log entry: the temporary authorization `{value}` has ended, and `{text}` applies again.
  case rightEnded
}

/// Texts of notifications to owners, for example about a prompt (a question to the user) or a region.
package enum NotificationPhrase: Phrase {
  /// The text "{app} says: “{text}”", which quotes a text from an app.
  case says
  case answerWith, answerWithAccuracy, nothingAsked, yesAtButton, noAtButton, yesByOwner, noByOwner, unanswered
  case withdrawn, locked, answered, entered, left
  /// The notification that an app's temporary authorization has ended, and that `{value}` applies again.
  case rightEnded
  case reloaded, restartFor
}

/// Texts of the web page for owners. The HTML document refers to each text by the name of its case.
package enum PagePhrase: Phrase {
  /// The text after a new link to the web page for owners. `{count}` stands for the minutes until the link expires.
  case linkMade
  case skip, needsScript, needsLink, linkRefused, sessionOver, connecting, connected, lost, failed, leave, questions
  case state, lockNow, lockMeans, apps, apply
  /// The label "Duration" of the menu for the duration of an authorization, and the menu item "without an end".
  case duration, withoutEnd
  case entries, report, showReport, news, noPosition
  /// The accessible name of the group of links to the sections of the web page.
  case sections
  /// The labels of the buttons that show the next newer and the next older page of the disclosure log.
  case newer, older
  /// The heading of the table column with the local times of log entries.
  case localTime
}

/// Texts of the simulated board: a program in a terminal that shows an LED, buttons and a display.
package enum PanelPhrase: Phrase {
  case button
  /// The states of the simulated button: "not pressed" and "pressed".
  case up, down
  /// The text "space: press, h: hold, q: quit" about the keyboard keys. The keys are the same in every language.
  case keys
  /// The text about the keyboard key `a`, after which an app may ask the user again without a delay.
  case askAgain
  /// The text about the keyboard key `p`, after which each press of the button adds a point to a file.
  case points
  /// The message that the terminal window is too small. `{value}` stands for the required columns and rows.
  case tooSmall
}

/// Texts about places (named positions) that an owner has saved. The texts contain no positions.
package enum PlacePhrase: Phrase {
  case place, knownTo, noPlaces
}

/// Texts for the effect of the latest press or hold of the button. The raw values are words of the gateway's text-line
/// protocol.
package enum PressPhrase: String, Phrase {
  /// The press gives a fix to an app, but the receiver has no fix yet, or the fix waits for its output.
  case acquiring
  case served
  case noFix = "no-fix"
  /// The fix for an output expired or was withdrawn, and the output may have the fix.
  case unconfirmed
  /// The press showed a prompt (a question to the user), which is not answered yet.
  case asked
  /// The press showed a prompt (a question to the user), which had no answer in time.
  case unanswered
  /// The press showed a prompt (a question to the user), which was closed, for example because the app no longer waits.
  case withdrawn
  case allowed, kept, denied
  /// The press had no effect, because the user pressed the button less than one second after an app's request or a
  /// prompt appeared.
  case tooEarly = "too-early"
  case nothingWaiting = "nothing-waiting"
  /// The press had no effect. The only waiting app may not ask the user again yet, because its earlier prompt had no
  /// answer.
  case paused
  /// The press had no effect, because the waiting app is assigned to another button.
  case otherButton = "other-button"
  /// The press had no effect, because the fix for an earlier press is still being delivered, or is less than two
  /// seconds old.
  case repeated
  case restricted
  /// The press had no effect, because the gateway is locked: no app gets a fix.
  case whileLocked = "while-locked"
  case lightUnseen = "light-unseen"
  /// The press had no effect, because too many fixes already wait for the outputs (for example a web server) of the app.
  case outputFull = "output-full"
  /// The hold locked the gateway: no app gets a fix until another hold unlocks the gateway.
  case locked
  /// The hold unlocked the gateway, so that apps can get fixes again.
  case unlocked
}

/// The texts of prompts: questions to the user about an app, for example whether the app may get fixes.
package enum PromptPhrase: Phrase {
  case confirm, introduce, authorize, upgrade, always, precise

  /// The maximum width: 80 columns of a terminal. The longest app name takes 40 of these columns.
  package var room: Int? { 80 }
}

package enum ReceiverPhrase: Phrase {
  case receiver, off, absent, starting, acquiring, ready, satellites, source, latest, fresh, old, frames, errors
  case rejectedFields, unknownFields, wakeUps
  /// The text about satellite signals: `{count}` used satellites of `{number}` in view, and the strength `{value}` of
  /// the best signal.
  case signals
  case settings, model, asking, pending, applied, partly, refused, unanswered, unansweredSettings, dateCorrected
  case lineFull
  case attack
  case contradiction
}

/// Texts about regions: circles on the ground whose entry and exit the gateway reports. The texts contain no positions.
package enum RegionPhrase: Phrase {
  case region, radius, events, state, text, enter, exit, inside, outside, unknown, noRegions
}

/// Texts for the outcome of the delivery of a fix to an app. The raw values are words of the disclosure log.
package enum OutcomePhrase: String, Phrase {
  /// The app confirmed that it received the fix.
  case acknowledged
  case sent, expired
  /// The gateway removed the fix before the transmission, because an owner or the user stopped the sharing.
  case erased
  /// A web server refused the fix finally, so that the fix is lost.
  case refused
  case lost
  /// The outcome is not known yet.
  case open
}

/// Texts with the reason why a request got no fix. The raw values are the names of errors in the text-line protocol.
package enum RefusalPhrase: String, Phrase {
  case noPress = "no-press", cancelled, rateLimited = "rate-limited", alreadyArmed = "already-armed"
  case noFix = "no-fix", receiverAbsent = "receiver-absent", indicator, store, denied, restricted, locked, expired
  case notDetermined = "not-determined", notInUse = "not-in-use", tooMany = "too-many", notSaved = "not-saved"
  case shuttingDown = "shutting-down"
}

/// Texts of the privacy report: an HTML document for owners about the requests of apps and the sent fixes.
package enum ReportPhrase: Phrase {
  case title, requests, range, noPositions, log
  /// The text "changed by another program" about the disclosure log.
  case broken
  /// The summary of the disclosure log: the state `{value}`, the count `{count}` of entries, and their sequence numbers
  /// `{text}`.
  case entries
  case noApps, timeline
  /// The label "Requests" before the count of an app's requests.
  case asked
  /// The label "Given" before the fixes that an app received.
  case given
  /// The label "Over" before the transport to the app, for example a socket or a broker.
  case transport
  case outcome, notGiven, lastGiven, never
  /// The text "followed for a while": an app received a series of fixes.
  case followed
  /// The text about `{count}` series of fixes whose duration is unknown.
  case unknownLength
  /// The text for a notification that the device entered or left a region.
  case border
  /// The legend of the symbol for requests without a fix, counted for each day.
  case noFixOfDay
  case noFixOfHour
  case answered, answer, by, languageShown, purposeShown
}

/// Texts for the authorization of an app. The raw values are words of the gateway's text-line protocol.
package enum StatusPhrase: String, Phrase {
  case never, askNextTime = "ask-next-time", whenIShare = "when-i-share", whileUsing = "while-using", always
  /// The configuration forbids the app to receive any location.
  case restricted

  package var room: Int? { 20 }
}

/// Texts of `onefix top`, the full-screen terminal view for owners.
package enum TopPhrase: Phrase {
  /// The text in place of the state, while the gateway does not answer: since the time of its latest answer.
  case unanswered
  case apps, sky, away, help, allowAlways, allowWhileUsing, neverAllow, forget, lockNow, makeKey, makeToken, revokeKey
  /// Texts about the keyboard key `e`, which selects the duration of an authorization: a duration `{value}`, or without
  /// an end.
  case endsAfter, endsNever
  case reloadNow, undone, readFirst, noApp, busy, tooSmall, button, choose, newKey, oldKey, answerPrecision, anyKey
  case part, press, hold, redraw, end, legend
}

/// Texts for errors in a command that an owner typed.
package enum VerbErrorPhrase: Phrase {
  case empty, unknown, unknownNearest, noApp, noValue, noChoice, badApp, badNumber, badCount, badValue, badValueNearest
  case badPlace, badDecimal
  /// The error for an invalid latitude or longitude.
  case badCentre
  /// The error for an invalid duration. The durations in the text, such as `90m`, are not translated.
  case badDuration
  case surplus, accuracyOfNo, usage
}

/// A one-line description of an owner's command.
package struct VerbPhrase: NamedPhrase {
  package let description: String

  package init(_ verb: String) { description = verb }

  /// The maximum width: 48 columns of a terminal. The description is printed beside the name of the command.
  package var room: Int? { 48 }
}

/// The message that an owner's command was done. The identifier of the phrase is the command.
package struct DonePhrase: NamedPhrase {
  package let description: String

  package init(_ command: String) { description = command }
}
