/// Texts of `onefix top`.
package enum TopPhrase: Phrase {
  case apps, sky, away, help, allowAlways, allowWhileUsing, neverAllow, forget, lockNow, makeKey, makeToken, revokeKey
  case reloadNow, undone, readFirst, noApp, busy, tooSmall, button, choose, newKey, oldKey, answerPrecision, anyKey
  case part, press, hold, redraw, end, legend

  package var texts: Texts {
    switch self {
    case .apps: Texts(en: "Apps", de: "Apps", ja: "アプリ", vi: "Ứng dụng", zhHans: "应用")
    case .sky: Texts(en: "Sky", de: "Himmel", ja: "上空", vi: "Bầu trời", zhHans: "天空")
    case .away: Texts(en: "away", de: "fort", ja: "切断中", vi: "đã rời", zhHans: "已离开")
    case .help: Texts(en: "help", de: "Hilfe", ja: "ヘルプ", vi: "trợ giúp", zhHans: "帮助")
    case .allowAlways:
      Texts(
        en: "Always share the location with {app}? y/n", de: "Standort immer mit {app} teilen? y/n",
        ja: "{app} に常に現在地を知らせますか？（y/n）", vi: "Luôn cho {app} biết vị trí? y/n", zhHans: "始终允许 {app} 获知位置？（y/n）")
    case .allowWhileUsing:
      Texts(
        en: "Share the location with {app} while in use? y/n", de: "Standort beim Verwenden mit {app} teilen? y/n",
        ja: "使用中のみ {app} に現在地を知らせますか？（y/n）", vi: "Cho {app} biết vị trí khi sử dụng? y/n",
        zhHans: "使用期间允许 {app} 获知位置？（y/n）")
    case .neverAllow:
      Texts(
        en: "Never share the location with {app}? y/n", de: "Standort nie mit {app} teilen? y/n",
        ja: "{app} に現在地を一切知らせませんか？（y/n）", vi: "Không bao giờ cho {app} biết vị trí? y/n",
        zhHans: "永不允许 {app} 获知位置？（y/n）")
    case .forget:
      Texts(
        en: "Forget {app}, so that it asks again? y/n", de: "{app} vergessen, sodass neu gefragt wird? y/n",
        ja: "{app} の記録を消しますか？（y/n）", vi: "Quên {app} để nó hỏi lại? y/n", zhHans: "清除 {app} 的记录？（y/n）")
    case .lockNow:
      Texts(
        en: "Stop all sharing until the button is held? y/n", de: "Nichts teilen, bis der Knopf gehalten wird? y/n",
        ja: "長押しするまで何も渡しませんか？（y/n）", vi: "Không cung cấp gì cho đến khi giữ nút? y/n", zhHans: "长按按钮之前不提供位置？（y/n）")
    case .makeKey:
      Texts(
        en: "Create a key for {app} and replace the previous one? y/n",
        de: "Einen Schlüssel für {app} erzeugen, statt des bisherigen? y/n", ja: "{app} の鍵を新しく作り、前のものと替えますか？（y/n）",
        vi: "Tạo khóa cho {app}, thay cho khóa cũ? y/n", zhHans: "为 {app} 生成密钥，替换原有的？（y/n）")
    case .makeToken:
      Texts(
        en: "Create a token for {app} and replace the previous one? y/n",
        de: "Ein Token für {app} erzeugen, statt des bisherigen? y/n", ja: "{app} のトークンを新しく作り、前のものと替えますか？（y/n）",
        vi: "Tạo mã truy cập cho {app}, thay cho mã cũ? y/n", zhHans: "为 {app} 生成令牌，替换原有的？（y/n）")
    case .revokeKey:
      Texts(
        en: "Revoke the key and the token of {app}? y/n", de: "Schlüssel und Token von {app} widerrufen? y/n",
        ja: "{app} の鍵とトークンを失効させますか？（y/n）", vi: "Thu hồi khóa và mã truy cập của {app}? y/n",
        zhHans: "吊销 {app} 的密钥和令牌？（y/n）")
    case .reloadNow:
      Texts(
        en: "Reload the configuration? y/n", de: "Die Konfiguration neu laden? y/n", ja: "設定を読み直しますか？（y/n）",
        vi: "Đọc lại cấu hình? y/n", zhHans: "重新读取配置？（y/n）")
    case .undone:
      Texts(
        en: "Nothing was done.", de: "Es ist nichts geschehen.", ja: "何も行われていません。", vi: "Chưa có gì được thực hiện.",
        zhHans: "未执行任何操作。")
    case .readFirst:
      Texts(
        en: "This question is new: read it first.", de: "Diese Frage ist neu: bitte erst lesen.",
        ja: "質問が出たばかりです。先に読んでください。", vi: "Vừa mới hỏi: hãy đọc trước.", zhHans: "刚刚提问，请先阅读。")
    case .noApp:
      Texts(
        en: "Choose an app first, with j and k.", de: "Erst eine App wählen, mit j und k.",
        ja: "先に j と k でアプリを選んでください。", vi: "Hãy chọn ứng dụng trước, bằng j và k.", zhHans: "请先用 j 和 k 选择应用。")
    case .busy:
      Texts(
        en: "The previous action is still running.", de: "Die vorige Aktion läuft noch.", ja: "前の操作を実行中です。",
        vi: "Việc trước vẫn đang được thực hiện.", zhHans: "上一个操作仍在执行。")
    case .tooSmall:
      Texts(
        en: "The window is too small for the question.", de: "Das Fenster ist für die Frage zu klein.",
        ja: "画面が小さすぎます。", vi: "Cửa sổ quá nhỏ để làm việc đó.", zhHans: "窗口太小，无法执行。")
    case .button:
      Texts(en: "Button: {value}", de: "Knopf: {value}", ja: "ボタン：{value}", vi: "Nút: {value}", zhHans: "按钮：{value}")
    case .choose:
      Texts(
        en: "choose an app, or scroll", de: "eine App wählen, oder blättern", ja: "アプリを選ぶ、または画面を送る",
        vi: "chọn ứng dụng, hoặc cuộn", zhHans: "选择应用，或滚动")
    case .newKey:
      Texts(
        en: "create a key or a token for the app", de: "Schlüssel oder Token der App erzeugen", ja: "アプリの鍵、トークンを作る",
        vi: "tạo khóa, mã truy cập cho ứng dụng", zhHans: "为应用生成密钥、令牌")
    case .oldKey:
      Texts(
        en: "revoke the app's key", de: "den Schlüssel der App widerrufen", ja: "アプリの鍵を失効させる",
        vi: "thu hồi khóa của ứng dụng", zhHans: "吊销应用的密钥")
    case .answerPrecision:
      Texts(
        en: "the accuracy that the answer allows", de: "Genauigkeit, die die Antwort erlaubt", ja: "回答で知らせる位置の精度",
        vi: "độ chính xác của câu trả lời", zhHans: "回答允许的精度")
    case .anyKey:
      Texts(
        en: "Press any key to continue.", de: "Weiter mit einer Taste.", ja: "何かキーを押すと先に進みます。",
        vi: "Nhấn phím bất kỳ để tiếp tục.", zhHans: "按任意键继续。")
    case .part:
      Texts(en: "the next section", de: "der nächste Abschnitt", ja: "次の部分", vi: "phần kế tiếp", zhHans: "下一部分")
    case .press:
      Texts(
        en: "press the simulated button", de: "den simulierten Knopf drücken", ja: "模擬ボタンを押す", vi: "nhấn nút mô phỏng",
        zhHans: "按下模拟按钮")
    case .hold:
      Texts(
        en: "hold it: answer no, otherwise lock or unlock", de: "ihn halten: Nein, sonst sperren oder entsperren",
        ja: "長押し：拒否、またはロックと解除", vi: "giữ nút: từ chối, hoặc khóa và mở khóa", zhHans: "长按：拒绝，否则锁定或解锁")
    case .redraw:
      Texts(en: "redraw the screen", de: "alles neu zeichnen", ja: "画面を描き直す", vi: "vẽ lại tất cả", zhHans: "重新绘制")
    case .end: Texts(en: "end", de: "beenden", ja: "終了", vi: "thoát", zhHans: "退出")
    case .legend:
      Texts(
        en: "satellites: capital letter used, small letter in view only",
        de: "Satelliten: groß genutzt, klein nur sichtbar", ja: "衛星：大文字は使用中、小文字は可視のみ",
        vi: "vệ tinh: chữ hoa đang dùng, chữ thường chỉ nhìn thấy", zhHans: "卫星：大写为已使用，小写为仅可见")
    }
  }
}
