void there(void);
void back(void);

void back(void) {
    there();
}
