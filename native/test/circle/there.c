void there(void);
void back(void);

void there(void) {
    back();
}
